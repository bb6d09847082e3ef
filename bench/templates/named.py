"""Writes what transformers chooses of several chat templates, and which tokens they may print: named.json, which the tests of model/chat read.

    python bench/templates/named.py model/chat/testdata/named.json
"""
import json,os,sys,tempfile
os.environ["TRANSFORMERS_VERBOSITY"]="error"
from transformers import PreTrainedTokenizerFast
TOK={"version":"1.0","truncation":None,"padding":None,"added_tokens":[],"normalizer":None,"pre_tokenizer":None,"post_processor":None,"decoder":None,"model":{"type":"WordLevel","vocab":{"<unk>":0},"unk_token":"<unk>"}}
ALL="{% for n in ['x'] %}{{ bos_token }}|{{ eos_token }}|{{ pad_token }}|{{ unk_token }}|{{ image_token }}|{{ boi_token is defined }}|{{ cls_token is defined }}{% endfor %}"
C={
 "map alone":({"chat_template":ALL},{"bos_token":"<b>","eos_token":{"content":"<e>"},"pad_token":"<p>","unk_token":"<unk>"},{}),
 "config and map":({"chat_template":ALL,"bos_token":"<B>","image_token":"<img>"},{"bos_token":"<b>","boi_token":"<boi>"},{}),
 "decoder":({"chat_template":ALL,"bos_token":"<B>","added_tokens_decoder":{}},{"eos_token":"<e>"},{}),
 "extra by name":({"chat_template":ALL,"extra_special_tokens":{"image_token":"<img>","boi_token":"<boi>"}},{},{}),
 "map with null":({"chat_template":ALL,"eos_token":"<e>"},{"eos_token":None},{}),
 "list":({"chat_template":[{"name":"default","template":"D"},{"name":"tool_use","template":"T"},{"name":"rag","template":"R"}]},{},{}),
 "list, no tool_use":({"chat_template":[{"name":"rag","template":"R"},{"name":"default","template":"D"}]},{},{}),
 "list, no default":({"chat_template":[{"name":"tool_use","template":"T"}]},{},{}),
 "object":({"chat_template":{"default":"D","tool_use":"T"}},{},{}),
 "file over list":({"chat_template":[{"name":"default","template":"D"},{"name":"tool_use","template":"T"}]},{},{"chat_template.jinja":"F"}),
 "folder":({"chat_template":"D"},{},{"chat_template.jinja":"F","additional_chat_templates/tool_use.jinja":"A"}),
 "folder alone":({"chat_template":"D"},{},{"additional_chat_templates/tool_use.jinja":"A"}),
 "folder's default":({"chat_template":"D"},{},{"chat_template.jinja":"F","additional_chat_templates/default.jinja":"A","additional_chat_templates/rag.txt":"{{"}),
}
out={}
for n,(cfg,mp,files) in C.items():
    fs={"tokenizer_config.json":json.dumps({"tokenizer_class":"PreTrainedTokenizerFast"}|cfg)}|files
    if mp: fs["special_tokens_map.json"]=json.dumps(mp)
    with tempfile.TemporaryDirectory() as d:
        for f,c in (fs|{"tokenizer.json":json.dumps(TOK)}).items():
            os.makedirs(os.path.dirname(os.path.join(d,f)),exist_ok=True); open(os.path.join(d,f),"w").write(c)
        t=PreTrainedTokenizerFast.from_pretrained(d)
    r={}
    for k,tools in {"plain":None,"no tools":[],"tools":[{"type":"function","function":{"name":"f"}}]}.items():
        try: r[k]=t.apply_chat_template([{"role":"user","content":"x"}],tools=tools,tokenize=False)
        except ValueError as e: r[k]=None
    out[n]={"files":fs,"texts":r}
json.dump(out,open(sys.argv[1],"w"),indent=1,ensure_ascii=False)
