" Colours of the parspec language. Written by editors/generate.py from the grammar.

if exists("b:current_syntax")
  finish
endif
let s:cpo_save = &cpo
set cpo&vim

" A word that begins a statement is a name where one of these follows.
syn match parStatement /\%(\.\)\@1<!\<\%(communication\|device\|expect\|import\|output\|stages\|weight\|block\|cache\|dtype\|infer\|input\|layer\|stack\|train\|axis\|cost\|link\|mesh\|plan\|dim\|for\|var\|op\)\>\%(\s*[=:\[(.,)\]}+<>|-]\)\@!/
syn keyword parClause partition replicated centralized partial store frozen at on over none no of in is

" Words that may be names elsewhere, where what stands around them tells.
syn match parContextual /\<\%(pointwise\|recompute\|backward\|forward\|masked\|padded\|uneven\|update\|zigzag\|fused\|rest\|ring\|unit\|per\|to\)\>\%(\s*[=:\[.,]\)\@!/
syn match parFunction /\<\%(crossentropy\|logsoftmax\|layernorm\|capacity\|dispatch\|combine\|dropout\|rmsnorm\|sigmoid\|softmax\|argmax\|cumsum\|lookup\|square\|swiglu\|gelu\|grad\|mean\|relu\|rope\|silu\|sort\|sqrt\|tanh\|topk\|exp\|max\|min\|sum\)\>\ze\s*\%((\|over\>\)/
syn match parType /\%(:\s*\|\<dtype\s\+\|=\s*\)\@<=\<\%(bfloat16\|fp8_e4m3\|fp8_e5m2\|float16\|float32\|float64\|f4e2m1\|f6e2m3\|f6e3m2\|f8e4m3\|f8e5m2\|int16\|int32\|int64\|mxfp4\|mxfp6\|mxfp8\|nvfp4\|uint4\|uint8\|bf16\|bool\|fp16\|fp32\|fp64\|int4\|int8\|tf32\|f16\|f32\|f64\|fp4\|fp6\|fp8\|i16\|i32\|i64\|u16\|u32\|u64\|f8\|i4\|i8\|u4\|u8\)\>/
syn match parKey /\<\%(global_batch\|microbatches\|efficiency\|microbatch\|new_tokens\|bandwidth\|recompute\|gathered\|schedule\|compute\|context\|divisor\|latency\|moment1\|moment2\|chunks\|master\|memory\|weight\|within\|flops\|group\|phase\|start\|grad\|zero\|hbm\)\>\ze\s*=[^=]/
syn match parValue /\%(=\s*\)\@<=\<\%(interleaved\|selective\|prefill\|decode\|again\|gpipe\|1f1b\|full\|keep\|none\)\>/
syn match parValue /\%(\<cost\s\+\)\@<=\<\%(composed\|approx\|ring\)\>/
syn match parFigure /\%(\<expect\s\+\)\@<=\<\%(communication\|activations\|parameters\|throughput\|gradients\|optimizer\|buffers\|compute\|traffic\|weights\|bubble\|memory\|cache\|flops\|step\|time\|mfu\)\>/
syn match parDeclared /\%(\<\%(layer\|op\|block\|stack\|plan\)\s\+\)\@<=\K\k*/

syn match parNumber /\<\d[0-9_]*\%(\.\d\+\)\=\%([eE][+-]\=\d\+\|[KMGT]i\)\=\>/ nextgroup=parUnit skipwhite
syn match parUnit /\%(Eflop\/s\|Gflop\/s\|Mflop\/s\|Pflop\/s\|Tflop\/s\|kflop\/s\|Gbit\/s\|Mbit\/s\|Tbit\/s\|flop\/s\|kbit\/s\|Eflop\|Gflop\|GiB\/s\|KiB\/s\|Mflop\|MiB\/s\|Pflop\|PiB\/s\|Tflop\|TiB\/s\|bit\/s\|kflop\|GB\/s\|Gbit\|MB\/s\|Mbit\|PB\/s\|TB\/s\|Tbit\|flop\|kB\/s\|kbit\|B\/s\|GiB\|KiB\|MiB\|PiB\|TiB\|bit\|GB\|MB\|PB\|TB\|kB\|ms\|ns\|us\|µs\|%\|B\|s\)\%(\k\|\s*=[^=]\)\@!/ contained
syn match parOperator /->\|[<>=]=\|[-+*\/=<>|]/
syn match parPrimitive /\k\@1<!\%(Reduce-Scatter\|All-Gather\|All-Reduce\|All-to-All\|Broadcast\|Permute\|Scatter\|Gather\|Reduce\|Send\)\%(\k\|-\)\@!/
syn match parHole /?/
syn region parString start=/"/ end=/"/ oneline
syn match parComment /#.*$/ contains=@Spell
syn region parBody start=/{/ end=/}/ transparent fold
syn sync minlines=200

hi def link parStatement Statement
hi def link parClause Keyword
hi def link parContextual Keyword
hi def link parDeclared Function
hi def link parFunction Function
hi def link parPrimitive Special
hi def link parKey Identifier
hi def link parValue Constant
hi def link parFigure Identifier
hi def link parType Type
hi def link parNumber Number
hi def link parUnit Number
hi def link parOperator Operator
hi def link parHole Todo
hi def link parString String
hi def link parComment Comment

let b:current_syntax = "par"
let &cpo = s:cpo_save
unlet s:cpo_save
