// Clients on Node against `parley serve`: openai-node, the AI SDK, and what the server's own page does. clients.py runs it beside its modules.
import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { ask, models } from "./page.mjs";

const [url, key, team, model] = process.argv.slice(2);
const messages = [{ role: "user", content: "What is 2 + 3?" }];

async function openaiNode() {
  const client = new OpenAI({ baseURL: url, apiKey: key });
  assert((await client.models.list()).data.some((m) => m.id === team));
  const whole = await client.chat.completions.create({ model: team, messages, seed: 5 });
  const said = whole.choices[0].message;
  assert(said.content && said.reasoning_content.includes("[critic, turn 2]"));
  let content = "", usage = null;
  for await (const chunk of await client.chat.completions.create({ model: team, messages, seed: 5, stream: true, stream_options: { include_usage: true } })) {
    content += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(content, said.content);
  assert.equal(usage.total_tokens, whole.usage.total_tokens);
  const completion = await client.completions.create({ model, prompt: [328, 28, 223], max_tokens: 4, temperature: 0 });
  assert(completion.choices[0].text.length > 0);
  assert((await client.responses.create({ model: team, input: "What is 2 + 3?", seed: 5 })).output_text === said.content);
  const typed = client.responses.stream({ model: team, input: "What is 2 + 3?", seed: 5 });
  let text = "";
  typed.on("response.output_text.delta", (e) => { text += e.delta; });
  assert.equal((await typed.finalResponse()).output_text, text);
  assert.equal(text, said.content);
  await assert.rejects(client.chat.completions.create({ model: "x", messages }), OpenAI.NotFoundError);
  await assert.rejects(client.chat.completions.create({ model, messages, temperature: 3 }), (e) => e instanceof OpenAI.BadRequestError && e.param === "temperature");
  const leaving = await client.chat.completions.create({ model, messages, temperature: 2, stream: true, max_tokens: 400 });
  for await (const _ of leaving) break; // the client closes the connection
}

async function aiSDK() {
  const provider = createOpenAICompatible({ name: "parley", baseURL: url, apiKey: key });
  const whole = await generateText({ model: provider(team), prompt: messages[0].content, seed: 5 });
  assert(whole.text && whole.reasoningText.includes("[critic, turn 2]") && whole.usage.totalTokens > 0);
  const stream = streamText({ model: provider(team), prompt: messages[0].content, seed: 5 });
  let text = "";
  for await (const piece of stream.textStream) text += piece;
  assert.equal(text, whole.text);
  assert.equal(await stream.reasoningText, whole.reasoningText);
}

async function page() {
  const server = url.replace(/v1$/, "");
  assert((await models(server, key)).includes(team));
  await assert.rejects(models(server, "x"), (e) => e.status === 401 && /token/.test(e.message));
  const turns = [];
  let text = "";
  const hear = { turn: (who, n) => turns.push({ who, n, text: "" }), reason: (piece) => { turns.at(-1).text += piece; }, say: (piece) => { text += piece; } };
  const { usage, finish } = await ask(server, key, { model: team, messages, seed: 5 }, undefined, hear);
  assert(turns.some((t) => t.who === "critic" && t.n === 2 && t.text && !t.text.includes("[critic")) && text && finish && usage.parley.agents.length === 3);
  await assert.rejects(ask(server, key, { model: team, messages: [] }, undefined, hear), /messages is empty/);
}

for (const client of [openaiNode, aiSDK, page]) await client();
