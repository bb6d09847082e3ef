"""Chat templates in the styles that models have, each for some features of the language. None is a published one."""

import re

TEMPLATES = {
    "marks": r"""
{%- for message in messages %}
{{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}""",
    "default system": r"""
{%- if messages and messages[0]['role'] == 'system' -%}
    {%- set system = messages[0]['content'] -%}
    {%- set rest = messages[1:] -%}
{%- else -%}
    {%- set system = system_message | default('You are a helper.', true) -%}
    {%- set rest = messages -%}
{%- endif -%}
{{ bos_token }}{{ '[SYS]' + (system | string) + '[/SYS]' }}
{%- for m in rest %}
    {%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Roles must alternate: ' + m.role + ' at ' ~ loop.index0) }}
    {%- endif %}
    {{- ' [INST] ' ~ m['content'] | trim ~ ' [/INST]' if m['role'] == 'user' else ' ' ~ m['content'] ~ eos_token }}
{%- endfor %}
{%- if add_generation_prompt %}{{ ' ' }}{% endif %}""",
    "system in the first question": r"""
{%- set ns = namespace(system='', first=true) %}
{%- for m in messages if m.role in ['system', 'developer'] %}
    {%- set ns.system = ns.system + m.content + '\n\n' %}
{%- endfor %}
{{- bos_token }}
{%- for m in messages | rejectattr('role', 'in', ['system', 'developer']) %}
    {%- set content = (ns.system if ns.first else '') ~ m.content %}
    {%- set ns.first = false %}
    {{- '<start>' ~ ('model' if m.role == 'assistant' else m.role) ~ '\n' ~ content | trim ~ '<end>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start>model\n' }}{% endif %}""",
    "tools as json": r"""
{%- if tools %}
    {{- '<|system|>\n# Tools\n<tools>' }}
    {%- for tool in tools %}
        {{- '\n' }}{{ tool | tojson }}
    {%- endfor %}
    {{- '\n</tools>\n' }}
{%- endif %}
{%- for m in messages %}
    {%- if m.role == 'tool' %}
        {%- if loop.index0 == 0 or messages[loop.index0 - 1].role != 'tool' %}{{- '<|user|>' }}{% endif %}
        {{- '\n<tool_response>\n' }}{{ m.content }}{{ '\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|end|>\n' }}{% endif %}
    {%- else %}
        {{- '<|' + m.role + '|>' }}
        {%- if m.content %}{{- '\n' + m.content }}{% endif %}
        {%- for c in m.tool_calls or [] %}
            {%- set f = c.function if c.function else c %}
            {{- '\n<tool_call>\n{"name": "' }}{{ f.name }}{{ '", "arguments": ' }}
            {{- f.arguments if f.arguments is string else f.arguments | tojson }}{{ '}\n</tool_call>' }}
        {%- endfor %}
        {{- '<|end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\n' }}{% endif %}""",
    "tools with indents": r"""
{%- for tool in tools or [] %}
{{ tool | tojson(indent=2) }}
{{ tool.function.parameters | tojson(indent=4, ensure_ascii=true) }}
{{ tool.function | tojson(separators=(',', ':'), sort_keys=true) }}
{%- endfor %}
{% for m in messages %}
    {{ m | tojson }}
{% endfor %}""",
    "tools as types": r"""
{%- macro type_of(p) -%}
    {%- if p.type is string -%}{{ {'integer': 'number', 'boolean': 'boolean'}.get(p.type, p.type) }}
    {%- elif p.type is iterable -%}{{ p.type | join(' | ') }}
    {%- else -%}any{%- endif -%}
    {%- if p.enum %}{{ ' of ' ~ p.enum | map('tojson') | join(',') }}{% endif -%}
{%- endmacro -%}
{%- macro signature(f, indent='  ') -%}
{{ f.name }}({
{%- for name, p in (f.parameters.properties or {}).items() %}
{{ indent }}{{ name }}{{ '?' if name not in (f.parameters.required or []) }}: {{ type_of(p) }}{{ ' = ' ~ p.default | tojson if 'default' in p }}{{ ',' if not loop.last }}
{%- endfor %}
})
{%- endmacro -%}
{%- for t in tools if t.type == 'function' %}
// {{ t.function.description or 'no words' }}
type {{ signature(t.function) }}
{%- else %}
no tools
{%- endfor %}
{%- for m in messages %}{{ '\n' ~ m.role ~ ': ' ~ m.content }}{% endfor %}""",
    "thoughts": r"""
{%- set ns = namespace(last=-1) %}
{%- for m in messages[::-1] %}
    {%- set i = messages | length - 1 - loop.index0 %}
    {%- if ns.last < 0 and m.role == 'user' and m.content is string and not (m.content.startswith('<r>') and m.content.endswith('</r>')) %}
        {%- set ns.last = i %}
    {%- endif %}
{%- endfor %}
{%- for m in messages %}
    {%- set content = m.content if m.content is string else '' %}
    {%- if m.role == 'assistant' %}
        {%- set thought = '' %}
        {%- if m.reasoning_content is string %}
            {%- set thought = m.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {{- 'A:' ~ ('<think>' ~ thought.strip('\n') ~ '</think>' if loop.index0 > ns.last and (loop.last or thought) else '') ~ content }}
    {%- else %}
        {{- m.role[0] | upper ~ ':' ~ content }}
    {%- endif %}
    {{- '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- 'A:' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think></think>' }}{% endif %}
{%- endif %}""",
    "dates": r"""
{%- if date_string is not defined %}
    {%- set date_string = strftime_now('%d %b %Y') %}
{%- endif %}
{{- 'Today: ' ~ date_string ~ ' (' ~ strftime_now('%Y-%m-%d, %A %B %j %H:%M:%S %p %y %I %a %%') ~ ')\n' }}
{%- for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}""",
    "parts": r"""
{%- macro render(content) %}
    {%- if content is string %}{{ content | trim }}
    {%- elif content is iterable and content is not mapping %}
        {%- for part in content %}
            {%- if part['type'] == 'image' or 'image' in part or 'image_url' in part %}{{ '<image>' }}
            {%- elif part.type == 'text' %}{{ part['text'] | trim }}{% endif %}
        {%- endfor %}
    {%- elif content is none or content is undefined %}{{ '(nothing)' }}
    {%- else %}{{ raise_exception('content of a strange type: ' ~ content) }}
    {%- endif %}
{%- endmacro %}
{%- for m in messages %}
{{- '<' ~ m.role ~ '>' }}{{ render(m.content) }}{{ '</' ~ m.role ~ '>' }}
{%- endfor %}
{{- '<assistant>' if add_generation_prompt }}""",
    "generation": r"""
{%- for m in messages %}
{%- if m.role == 'assistant' %}{{ '<a>' }}{%- generation %}{{ m.content }}{{ '</a>' }}{% endgeneration %}
{%- else %}{{ '<' + m.role + '>' + m.content }}{% endif %}
{% endfor %}
{{- '<a>' if add_generation_prompt else '' }}""",
    "recursion": r"""
{%- for x in [[1, [2, [3]]], [4]] recursive %}{% if x is iterable %}({{ loop(x) }}{{ loop.depth }}){% else %}{{ x }}{% endif %}{% endfor %}""",
    "all of a loop": r"""
{%- for m in messages %}
{{ loop.index }}/{{ loop.length }} {{ loop.revindex }} {{ loop.revindex0 }} {{ loop.first }} {{ loop.last }} {{ loop.cycle('a', 'b', 'c') }} {{ loop.depth }}
{{- ' after ' ~ loop.previtem.role if loop.previtem is defined }}{{ ' before ' ~ loop.nextitem.role if loop.nextitem }}
{%- for key, value in m.items() %} {{ loop.index0 }}:{{ key }}={{ value }}{{ loop.depth0 }}{% endfor %}
{%- else %}
nobody
{%- endfor %}""",
    "break and continue": r"""
{%- for m in messages %}
    {%- if m.role == 'system' %}{% continue %}{% endif %}
    {%- if m.role == 'tool' %}
        {{- 'until the tool' }}
        {%- break %}
    {%- endif %}
    {{- m.role ~ ';' }}
{%- endfor -%}
""",
    "scopes": r"""
{%- set x = 1 %}
{%- for m in messages %}{% set x = x + 1 %}{{ x }}{% endfor %}
{{- x }}
{%- set ns = namespace() %}
{%- set ns.count = 0 %}
{%- for m in messages %}{% if m.role == 'user' %}{% set ns.count = ns.count + 1 %}{% endif %}{% endfor %}
{{- ' ' ~ ns.count ~ ' ' }}
{%- if true %}{% set x = 'in an if' %}{% endif %}{{ x }}
{%- set long -%}
   several {{ x }}
   lines
{%- endset %}
{{ long | upper }} {{ long | length }}
{%- set a, b = 1, [2, 3] %}{{ a }}{{ b }}
{%- set shouted | upper | trim %}
  text {{ a }}
{% endset %}{{ shouted }}""",
    "macros": r"""
{%- macro a(x, y=2, z='c') %}[{{ x }}{{ y }}{{ z }}]{% endmacro %}
{%- macro b() %}{{ caller('from b') if caller else 'no caller' }}{% endmacro %}
{%- macro c(n) %}{{ n }}{% if n > 0 %} {{ c(n - 1) }}{% endif %}{% endmacro %}
{{- a(1) }}{{ a(1, z=3) }}{{ a(1, 2, 3) }}{{ a() }}{{ b() }}
{%- call(text) b() %}({{ text | title }}){% endcall %}
{{- c(3) }} {{ a(1) | length }}
{%- filter upper %} {{ messages | length }} messages{% endfilter %}""",
    "more arguments": r"""{% macro a(x) %}{{ x }}{{ varargs | length }}{{ kwargs | length }}{% endmacro %}{{ a(1) }}""",
    "name of a macro": r"""{% macro a(x) %}{% endmacro %}{{ a.name }}""",
    "changes in a loop": r"""{% for m in messages %}{{ loop.changed(m.role) }}{% endfor %}""",
    "else of a loop": r"""{% for m in messages %}{% continue %}{% else %}a{% endfor %}{% for m in messages %}{% break %}{% else %}b{% endfor %}{% for m in messages %}{% if not loop.first %}{% break %}{% endif %}{% else %}c{% endfor %}{% for m in messages if m.role == 'user' %}{% else %}d{% endfor %}""",
    "white space": """
  {% if messages %}
   a
  {%- if true -%}
   b
  {%+ if true %}
   c
    {# a comment
    of lines #}
   d {# within #} e
  {%- endif +%}

  {% endif %}
   {% endif %}
   {{ 'f' -}}

   g
{# at the left #}
   h {%- raw %}  {{ not a value }} {% nor a tag %} {% endraw -%}   i
""",
    "texts": r"""
{%- for m in messages %}
{%- set c = m.content | string %}
{{ [c.strip(), c.lstrip(), c.rstrip(), c.upper(), c.lower(), c.title(), c.capitalize(), c.split(), c.split(' '), c.split('a', 1), c.rsplit(None, 1), c.splitlines()] }}
{{ c | trim | length }} {{ c | upper | lower | capitalize }} {{ c | replace('a', 'bb') }} {{ c | indent(3) }} {{ c | indent(2, true) }} {{ c | title }} {{ c[:3] ~ c[-3:] ~ c[1:6:2] ~ c[::-1] }}
{{ c.find('a') }} {{ c.count('a') }} {{ c.replace('a', 'b', 1) }} {{ 'a' in c }} {{ c.startswith(('W', ' ')) }} {{ c.isdigit() }} {{ c.isspace() }} {{ '{} {}'.format(c, 1) }}
{%- endfor %}""",
    "lists": r"""
{%- set roles = messages | map(attribute='role') | list %}
{{ roles }} {{ roles | unique | list }} {{ roles | unique | sort | join(', ') }} {{ roles | sort(reverse=true) }} {{ roles | first }} {{ roles | last }} {{ roles | reverse | list }} {{ roles | length }} {{ roles | count }}
{{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'eq', 'user') | map(attribute='role') | join('-') }} {{ messages | selectattr('tool_calls') | list | length }} {{ messages | selectattr('tool_calls', 'defined') | list | length }}
{{ roles | select('in', ['user', 'system']) | list }} {{ roles | reject('eq', 'user') | list }} {{ roles | map('upper') | join }} {{ messages | map(attribute='name', default='-') | list }}
{{ messages | sort(attribute='role') | map(attribute='role') | list }} {{ roles + ['x'] }} {{ (roles | list)[:-1] }} {{ [1, 2] == [1, 2.0] }} {{ ['a'] * 2 if false else 'n' }}
{{ [3, 1, 2] | max }} {{ [3, 1, 2] | min }} {{ [3, 1, 2] | sum }} {{ range(5) | list }} {{ range(4, 0, -2) | list }} {{ roles.index('user') if 'user' in roles }} {{ roles.count('user') }}""",
    "dicts": r"""
{%- set d = {'b': 1, 'a': [1, none, true, 2.5], 'c': {'x': 'y'}} %}
{{ d }} {{ d.keys() | list }} {{ d.values() | list }} {{ d.items() | list }} {{ d | items | list }} {{ d | dictsort }} {{ d | dictsort(by='key', reverse=true) | map('first') | list }} {{ d.get('z') }} {{ d.get('z', 0) }} {{ d['a'][3] }} {{ d.c.x }} {{ 'b' in d }} {{ d | length }}
{{ dict(x=1, y='z') }} {{ dict([('a', 1)]) }} {{ d.b.c is defined }} {{ d.z is defined }} {{ (d.z | default({})).q is defined }} {{ d | tojson }} {{ d | list }} {{ d is mapping }} {{ d == {'c': {'x': 'y'}, 'a': [1, none, true, 2.5], 'b': 1} }}
{%- for k, v in d | dictsort %} {{ k }}{{ v is iterable }}{% endfor %}""",
    "numbers": r"""
{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 0.1 + 0.2 }} {{ 1e20 }} {{ 1e15 }} {{ 123456789012345678901234567890 }} {{ 10 / 5 }} {{ 3 | float }} {{ '3.7' | float | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ -3 | abs }} {{ 1.0 }} {{ 1_000 }} {{ 5 is odd }} {{ 5 is divisibleby 5 }} {{ true + 1 }} {{ 1 == 1.0 }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 1e-7 }} {{ 12345.678e3 }} {{ 0x1f }} {{ 0b11 }} {{ 0o17 }}""",
    "undefined": r"""
{{- nothing }}|{{ nothing is defined }}|{{ nothing is undefined }}|{{ not nothing }}|{{ nothing | default('d') }}|{{ nothing or 'o' }}|{{ nothing | length }}|{{ nothing | list }}|{{ nothing == none }}|{{ none is none }}|{{ tools is none }}|{{ documents is none }}|{{ nothing ~ 'x' }}|{{ messages[99] is defined }}|{{ (messages[0].zzz is defined) if messages }}
{%- for x in nothing %}never{% else %}|empty{% endfor %}""",
    "tests": r"""
{%- for x in [1, 1.5, true, none, 'a', 'A', '', [], [1], {}, {'a': 1}, nothing, range(2)] %}
{{ x is defined }} {{ x is none }} {{ x is string }} {{ x is number }} {{ x is integer }} {{ x is float }} {{ x is boolean }} {{ x is true }} {{ x is false }} {{ x is mapping }} {{ x is iterable }} {{ x is sequence }} {{ x is callable }} {{ x is upper }} {{ x is lower }} {{ 'yes' if x else 'no' }} {{ x is eq(1) }} {{ x is ne 1 }} {{ x in [1, 'a', none] }}
{%- endfor %}""",
    "documents": r"""
{%- if documents is defined and documents %}
{%- for d in documents %}
<doc {{ loop.index }}>{{ d.title | e }}: {{ d['text'] }}{{ '' if d.contents is undefined else ' / ' + d.contents }}</doc>
{%- endfor %}
{%- endif %}
{%- for m in messages %}{{ m.role }}{% endfor %}""",
    "tools in the user's turn": r"""
{%- if custom_tools is defined %}{% set tools = custom_tools %}{% endif %}
{%- if tools_in_user_message is not defined %}{% set tools_in_user_message = true %}{% endif %}
{%- set messages = messages | rejectattr('role', 'equalto', 'system') | list %}
{%- if tools is not none and tools_in_user_message %}
    {%- if not messages %}{{ raise_exception('There is no user to show tools to!') }}{% endif %}
    {%- set first = messages[0].content | string | trim %}
    {%- set messages = messages[1:] %}
    {{- 'user: ' }}{% for t in tools %}{{ t | tojson(indent=4) }}{{ '\n\n' }}{% endfor %}{{ first }}
{%- endif %}
{%- for m in messages %}
    {%- if 'tool_calls' in m %}
        {%- if m.tool_calls | length != 1 %}{{ raise_exception('One call at a time!') }}{% endif %}
        {%- set f = m.tool_calls[0].function %}
        {{- 'call ' ~ f.name ~ '(' }}
        {%- for k, v in f.arguments | items %}{{ k + '=' + (v | string) }}{{ ', ' if not loop.last }}{% endfor %}{{ ')' }}
    {%- else %}
        {{- m.role ~ ': ' ~ m.content }}
    {%- endif %}
{%- endfor %}""",
    "checks of tool calls": r"""
{%- set asked = messages | selectattr('role', 'equalto', 'user') | list %}
{%- for m in messages %}
    {%- if m.role == 'assistant' and m.tool_calls is defined and m.tool_calls is not none %}
        {{- '[CALLS] [' }}
        {%- for c in m.tool_calls %}
            {%- set out = c.function | tojson %}
            {{- out[:-1] }}
            {%- if c.id is undefined or c.id | length != 9 %}{{- raise_exception('ids of calls have 9 letters') }}{% endif %}
            {{- ', "id": "' + c.id + '"}' }}{{ ', ' if not loop.last else ']' + eos_token }}
        {%- endfor %}
    {%- elif m.role == 'tool' %}
        {{- '[RESULT] {"content": ' ~ m.content | string ~ '}' }}
    {%- elif asked and m == asked[-1] and tools %}
        {{- '[TOOLS] ' ~ tools | length ~ '[/TOOLS]' ~ m.content }}
    {%- else %}
        {{- m['content'] }}
    {%- endif %}
{%- endfor %}""",
    "wrong name of a filter": r"""{{ messages | nosuchfilter }}""",
    "wrong name of a test": r"""{{ messages is nosuchtest }}""",
    "not closed": r"""{% for m in messages %}{{ m }}""",
    "closed twice": r"""{% if messages %}{% endif %}{% endif %}""",
    "a method that does not exist": r"""{{ messages.nosuch() }}""",
    "changes a list": r"""{% set x = [] %}{{ x.append(1) }}{{ x }}""",
    "changes a dict": r"""{% set x = {} %}{% do x.update({'a': 1}) %}{{ x }}""",
    "inner parts": r"""{{ messages.__class__ }}|{{ ''.__class__.__mro__ is defined }}""",
}


def snippets():
    """Templates of one expression, and the text around them."""
    for i, e in enumerate(re.split(r"\n", EXPRESSIONS.strip())):
        yield f"expression {i + 1}: {e}", "{{ " + e + " }}"


EXPRESSIONS = r"""
'a' 'b'
'a' ~ 1 ~ none ~ true ~ 1.0 ~ [] ~ {}
'a' + 1
1 + none
[1] + [2]
[1] + (2,)
(1,)
()
(1, 'a', none)
[1, 'a"b', "c'd", 'e\n', 'é', '\u2028', '\\']
{'a"': 1, 2: 'b', none: true}
'a' * 3
3 * [1]
'%s and %d' % ('x', 3)
'%.2f|%5d|%-5s|' % (1.005, 3, 'x')
not true or true and false
1 if false
(1 if false) is defined
1 if true else 2 if true else 3
-2 ** 2
2 ** 3 ** 2
10 - 2 - 3
1 - -1
- 1 | abs
1 ~ 2 + 3
1 == 1 == 1
1 < 'a'
[1, 2] < [1, 3]
none < 1
'a' < 'b'
1 in [1]
1 not in [1]
not 1 in [2]
'a' in {'a': 1}
'' in 'abc'
1 in 'abc'
none in none
true == 1
'1' == 1
1.5 // 1
7.5 % 2
-7.5 % 2
1 / 0
1 // 0
1 % 0
1e308 * 10
1e400
-1e400
0.1
1e16
1e-5
123456.789e-3
1.0e3
100000000000000000000.0
2 ** 63
2 ** 64 % 7
-5 // 2
true | int
'12' | int
' 12 ' | int
'1e3' | int
'0x1F' | int(base=16)
'1.9' | int
'nan' | float
'inf' | float
none | int
[] | int
'abc' | float(2.5)
3.7 | int
2.5 | round
3.14159 | round(2)
2.675 | round(2, 'ceil')
'abc'[0]
'abc'[5]
'abc'[-1]
'abc'[1:]
'abc'[:-1]
'abc'[::2]
'abc'[::-1]
'añb😀c'[3]
[1, 2, 3][1:]
[1, 2, 3][-1]
[1, 2, 3][7] is defined
[1, 2, 3]['a'] is defined
{'a': 1}.a
{'a': 1}['a']
{'items': 1}.items
{'items': 1}['items']
{'a': {'b': 2}}.a.b
{'a': 1}.b.c
{'a': 1}.b is defined
{1: 'x'}[1]
{'a': 1}.get('b', 'c')
{'a': 1, 'b': 2}.keys()
{'a': 1}.values()
{'a': 1}.items()
{'a': 1}.copy()
{'a': 1} | items
'abc' | list
'abc' | first
[] | first
[] | last
'abc' | last
'abc' | reverse
[1, 2] | reverse | list
'c b a' | sort
['b', 'A', 'c'] | sort
['b', 'A', 'c'] | sort(case_sensitive=true)
[3, 1, 2] | sort(reverse=true)
[1, 'a'] | sort
['a', 'A', 'b'] | unique | list
['a', 'A', 'b'] | unique(case_sensitive=true) | list
[1, 2, 3] | join(', ')
['a', none, 1.0, true] | join('|')
[{'a': 1}, {'a': 2}] | join(',', attribute='a')
[{'a': {'b': 1}}] | map(attribute='a.b') | list
[{'a': [5, 6]}] | map(attribute='a.1') | list
['a', 'b'] | map('upper') | list
['a ', ' b'] | map('trim') | map('length') | list
['ab', 'cb'] | map('replace', 'b', 'x') | list
[1, 2, 3, 4] | select('odd') | list
[1, 2, 3, 4] | select('gt', 2) | list
[0, 1, '', 'a', none] | select | list
[0, 1, '', 'a', none] | reject | list
[1, 2, 3] | sum
[{'n': 1}, {'n': 2}] | sum(attribute='n')
[[1], [2]] | sum(start=[])
[1.5, 2] | sum
['b', 'a'] | min
['b', 'A'] | max
[] | max
{'b': 1, 'a': 2} | dictsort
{'b': 1, 'a': 2} | dictsort(by='value')
{'b': 1, 'A': 2} | dictsort(true)
[1, 2, 3, 4, 5] | batch(2) | list
[1, 2, 3, 4, 5] | slice(2) | list
'hello world' | title
'hello-world foo_bar' | title
'hELLO' | capitalize
'ß' | upper
'İ' | lower
'ǆ' | title
'  x ' | trim
'xxaxx' | trim('x')
'a\nb' | indent
'a\n\nb' | indent(2)
'a\n\nb' | indent(2, first=true, blank=true)
'a' | indent('--', true)
'<a href="x">&\'</a>' | e
'<a>' | escape | upper
'<b>' | safe
('<b>' | safe) ~ '<i>'
'a' | default('b')
'' | default('b')
'' | default('b', true)
none | default('b')
none | default('b', boolean=true)
zzz | d('b')
zzz.a | default('b')
'a,b,,c' | replace(',', ';')
'aaa' | replace('a', 'b', 2)
12 | replace('1', '2')
'abc' | length
'añ😀' | length
{'a': 1} | length
12 | length
none | length
'a b' | wordcount
'x' | center(5)
'abcdefghij' | truncate(5, true)
'a b c d e f' | wordwrap(4)
'a<b>c</b>' | striptags
[1, 2] | string
'x' | string
1.0 | string
none | string
none | tojson
1.0 | tojson
1e20 | tojson
'é\u2028"\\/\t\u0001😀' | tojson
'é😀' | tojson(ensure_ascii=true)
[1, [2, {'a': none}]] | tojson
{'b': 1, 'a': [true, false]} | tojson(sort_keys=true)
{'b': 1, 'a': [true, []], 'c': {}} | tojson(indent=2)
[] | tojson(indent=2)
{1: 2, none: 3, true: 4, 1.5: 5} | tojson
{'a': 1} | tojson(separators=(',', ':'))
zzz | tojson
range(3) | tojson
(1, 2) | tojson
{'a': 1}.items() | tojson
[1, 2] | tojson(indent='\t')
'a b c'.split()
'a  b'.split(' ')
'abc'.split('')
'a,b,c'.split(',', 1)
'a,b,c'.split(',')[-1]
'a,b,c'.rsplit(',', 1)
'a\nb\r\nc\x0bd'.splitlines()
'a\nb\n'.splitlines(true)
', '.join(['a', 'b'])
', '.join([1])
'abc'.startswith('a')
'abc'.startswith('b', 1)
'abc'.endswith(('b', 'c'))
' a '.strip()
'xxaxx'.strip('x')
'abcba'.lstrip('ab')
'abc'.removeprefix('a')
'abc'.removesuffix('c')
'abc'.find('c')
'abcabc'.rfind('b')
'abc'.find('z')
'aaa'.count('a')
'abc'.upper().lower()
'hello world'.title()
"they're bill's".title()
"they're bill's" | title
'hello World'.capitalize()
'{} {}'.format(1, 'a')
'{0} {1} {0}'.format('a', 'b')
'{a} {b[0]}'.format(a=1, b=[2])
'{:>5}|{:<5}|{:^5}'.format('a', 'b', 'c')
'{:.2f} {:05d} {:,}'.format(1.5, 42, 1234567)
'{{}}'.format()
'12'.isdigit()
'²'.isdigit()
'½'.isdigit()
'a1'.isalnum()
'ab'.isalpha()
'AB'.isupper()
'a1'.islower()
''.isdigit()
' \u2003'.isspace()
[1, 2, 1].count(1)
[1, 2, 1].index(2)
[1, 2].index(3)
[1].append(2)
'abc'.nosuch
'abc'.nosuch()
'abc'.__len__()
namespace(a=1).a
namespace(a=1).b is defined
namespace({'a': 1}, b=2).b
namespace(_a=1)._a
dict(a=1)
dict({'a': 1}, b=2)
dict([['a', 1]])
range(3)
range(1, 10, 3) | list
range(3)[1]
range(3) | length
range(100000000)
range(0, 5) | first
raise_exception('No: ' ~ 1)
raise_exception('é"\n')
strftime_now('%Y-%m-%d')
strftime_now('%-d %e %b %B')
strftime_now('%H:%M:%S %p %I')
strftime_now('%A %a %j %U %w %y %Z|%z|%f')
strftime_now('')
strftime_now('é %d')
lipsum is defined
cycler is defined
joiner is defined
messages is defined
tools is none
documents is none
add_generation_prompt
bos_token ~ eos_token
pad_token is defined
self is defined
loop is defined
caller is defined
true and 'a'
false or none
none or ''
'a' and 'b'
not ''
not []
True
None
False
none is none
1 is number
true is number
1 is integer
true is integer
1.0 is float
true is boolean
'a' is string
[] is sequence
{} is sequence
'a' is sequence
1 is sequence
range(2) is sequence
'a' is iterable
1 is iterable
none is iterable
zzz is iterable
{} is mapping
[] is mapping
range is callable
'a' is callable
'abc' is lower
'ABC' is upper
1 is odd
2 is even
9 is divisibleby(3)
9 is divisibleby 3
1 is eq 1
1 is equalto(1)
1 is sameas 1
none is sameas none
1 is ne 2
1 is lt 2
2 is ge(2)
1 is in [1]
'a' is in 'abc'
'upper' is filter
'odd' is test
'<b>' is escaped
not 1 is odd
1 is not odd
1 is odd and 2 is even
[x for x in [1]]
lambda x: x
1 if
{{ 1
'unclosed
1 +
a b
[1, 2
{'a' 1}
1..2
.5
5.
1__0
0777
00
1e
'\x41\u0041\101\n\t\q'
"a\
b"
r'a'
f'{1}'
b'a'
'''a'''
a.1
[[1, 2], [3]][0].1
[10, 20].0
'a'|upper|lower
'a' | upper ~ 'b'
('a' ~ 'b') | upper
-1 | string
(1, 2) + (3,)
(1, 2)[0]
1,
1, 2
{'a': 1,}
[1, 2,]
range(2,)
dict(a=1,)
{**{'a': 1}}
[*[1]]
dict(**{'a': 1})
range(*[1, 4]) | list
not not 1
+1
+'a'
-'a'
~1
1 & 2
1 and
a if b else c
messages | groupby('role') | list
messages | map(attribute='role') | list
messages[0].role
messages[0]['role']
messages.0.role
messages[-1].content
messages[:1] | length
messages | tojson
messages[0]
messages | first
messages | string
[none, true, 1.50, 'a', {'b': (1,)}]
{'a': 'it\'s'}
'it\'s "x"' | list
['it\'s "x"']
['\x00\x7f\xa0\u200b\ue000']
['\U0001f600']
1.0 == 1
0.1 + 0.2 == 0.3
10 ** 20
10.0 ** 20
1e22
1e21
-0.0
0.00001
1234567.0
'abc' is in ['abc']
'%c' % 65
'%x' % 255
'%(a)s' % {'a': 1}
'%s' % [1]
'%s' % none
'%s %s' % (1,)
'a' | format
'%s-%s' | format(1, 2)
"a" 'b' ~ "c"
'a' if 'x' in zzz else 'b'
zzz in 'abc'
zzz + 1
zzz | upper
zzz | trim
zzz | join
zzz | first
zzz()
zzz.a.b
zzz['a']
zzz[0]
zzz == zzz
zzz == none
zzz ~ 1
zzz | int
zzz | string | length
zzz < 1
-zzz
zzz | sort
zzz | items | list
none | items
none.a
none['a']
none.a.b
none()
1.a
1()
true.real
'a'.b is defined
[].b is defined
'a'['b'] is defined
'a'['upper']()
{'a': 1}['b'] is defined
{'upper': 1}.upper
{'keys': 1}.keys
{'a': [1, 2]}.a[1]
{'a': 1} == {'a': 1.0}
[1, [2]] == [1, [2]]
(1, 2) == [1, 2]
'a' != 'b'
1 != 1.0
none == false
0 == false
'' == false
{'a': 1} < {'a': 2}
[] or 'e'
1 or zzz.a.b
0 and zzz.a.b
"""

