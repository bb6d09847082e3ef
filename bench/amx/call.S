# Where the boot sector goes, and a call with Go's convention for assembly: all arguments on the stack.
	.globl start, call_go, kernels, cases
start:
	jmp run

# call_go(function, arguments): fifteen words
call_go:
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $120, %rsp
	movq %rdi, %rax
	movq %rsp, %rdi
	movl $15, %ecx
	cld
	rep movsq
	call *%rax
	addq $120, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	ret

	.balign 64
kernels:
	.incbin "kernels.bin"
	.balign 64
cases:
	.incbin "cases.bin"
