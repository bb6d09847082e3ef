// Talks to the server that the page comes from. Texts of models and of errors are set as text, never as HTML.

// events yields the data of every event of a stream.
export async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return; // what no empty line ends was cut off
      rest += value;
      for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
        const data = rest.slice(0, end).split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
        if (data.length) yield data.join("\n");
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// ask lets the server answer a conversation. turn(who, n) says who speaks next, reason(text) what is said in turns, say(text) what the answer is.
// It returns what the answer took. An answer without a reason to end is an error.
export async function ask(server, token, body, signal, { turn, reason, say }) {
  const answer = await fetch(server + "v1/chat/completions", {
    method: "POST", signal, headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  });
  if (!answer.ok) throw new Error(await wrong(answer));
  let usage = null, finish = null;
  for await (const data of events(answer.body)) {
    if (data === "[DONE]") continue;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Error(chunk.error.message);
    usage = chunk.usage ?? usage;
    for (const { delta, finish_reason } of chunk.choices) {
      if (delta.parley) turn(delta.parley.agent, delta.parley.turn);
      else if (delta.reasoning) reason(delta.reasoning);
      if (delta.content) say(delta.content);
      finish = finish_reason ?? finish;
    }
  }
  if (!finish) throw new Error("The answer was cut off.");
  return { usage, finish };
}

// wrong is what an answer that is no success says.
async function wrong(answer) {
  try {
    return (await answer.json()).error.message;
  } catch {
    return "The server answers with status " + answer.status + ".";
  }
}

// models lists what is served.
export async function models(server, token) {
  const answer = await fetch(server + "v1/models", { headers: { Authorization: "Bearer " + token } });
  if (!answer.ok) throw Object.assign(new Error(await wrong(answer)), { status: answer.status });
  return (await answer.json()).data.map((m) => m.id);
}

function start() {
  const at = (id) => document.getElementById(id);
  const server = "./";
  let token = sessionStorage.getItem("token") ?? "";
  let conversation = [];
  let working = null;

  // card adds a card below the others, and returns what writes on it.
  function card(kind, title) {
    const box = document.createElement("article"), head = document.createElement("h2"), text = document.createElement("p");
    box.className = kind;
    head.textContent = title;
    box.append(head, text);
    at("talk").append(box);
    return {
      write(more) { text.textContent += more; box.scrollIntoView({ block: "nearest" }); },
      note(words) { const foot = document.createElement("footer"); foot.textContent = words; box.append(foot); },
      get text() { return text.textContent; },
    };
  }

  async function enter() {
    try {
      if (!token) throw new Error();
      const names = await models(server, token);
      sessionStorage.setItem("token", token);
      at("model").replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { value: name, textContent: name })));
      at("model").disabled = false;
      at("enter").hidden = true;
      at("ask").hidden = false;
      at("question").focus();
    } catch (err) {
      at("enter").hidden = false;
      at("refused").textContent = err.message;
      at("token").focus();
    }
  }

  async function question(text) {
    const model = at("model").value;
    card("question", "You").write(text);
    let open = null, answer = null;
    working = new AbortController();
    at("stop").hidden = false;
    at("send").disabled = at("model").disabled = true;
    try {
      const asked = [...conversation, { role: "user", content: text }];
      const { usage, finish } = await ask(server, token, { model, messages: asked }, working.signal, {
        turn(who, n) { open = card("turn", who + ", turn " + n); },
        reason(piece) { (open ??= card("turn", "thinking")).write(piece); },
        say(piece) { (answer ??= card("answer", model)).write(piece); },
      });
      answer ??= card("answer", model);
      conversation = [...asked, { role: "assistant", content: answer.text }];
      const costs = (usage?.parley?.agents ?? []).map((a) => a.name + " " + a.completion_tokens);
      answer.note((usage?.completion_tokens ?? 0) + " tokens" + (costs.length ? ": " + costs.join(", ") : "") + (finish === "length" ? "; cut at the limit" : ""));
    } catch (err) {
      card("wrong", "No answer").write(err.name === "AbortError" ? "Stopped." : err.message);
    } finally {
      working = null;
      at("stop").hidden = true;
      at("send").disabled = at("model").disabled = false;
    }
  }

  function forget() {
    working?.abort();
    conversation = [];
    at("talk").replaceChildren();
  }

  at("enter").addEventListener("submit", (e) => { e.preventDefault(); token = at("token").value.trim(); at("token").value = ""; enter(); });
  at("ask").addEventListener("submit", (e) => {
    e.preventDefault();
    const text = at("question").value.trim();
    if (!text || working) return;
    at("question").value = "";
    question(text);
  });
  at("question").addEventListener("keydown", (e) => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); at("ask").requestSubmit(); } });
  at("stop").addEventListener("click", () => working?.abort());
  at("forget").addEventListener("click", forget);
  at("model").addEventListener("change", forget); // another one has heard nothing of it
  enter();
}

if (typeof document !== "undefined") start();
