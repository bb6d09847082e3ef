// Runs the recorded calls of the tiles' functions and compares the sums bit by bit. There is no operating system: it writes to the
// serial port, and switches the machine off.

typedef unsigned int u32;
typedef long long i64;

extern const u32 kernels[], cases[];
void call_go(const void *function, const i64 *arguments);

static void out(unsigned short port, unsigned char v) { __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port)); }

// wait returns when the serial port is ready for a character (0x20), or has sent all (0x40).
static void wait(unsigned char ready) {
	unsigned char status;
	do __asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((unsigned short)0x3fd)); while (!(status & ready));
}

static void text(const char *s) {
	for (; *s; s++) wait(0x20), out(0x3f8, *s);
}

static void number(i64 n) {
	char buffer[24], *p = buffer + 23;
	*p = 0;
	do *--p = '0' + n % 10, n /= 10; while (n);
	text(p);
}

static void copy(u32 *to, const u32 *from, u32 n) {
	for (u32 i = 0; i < n; i++) to[i] = from[i];
}

void run(void) {
	const u32 *at = cases;
	out(0x3fb, 3); // characters of eight bits
	u32 count = *at++;
	i64 calls = 0, sums = 0, wrong = 0;
	u32 *a = (u32 *)0x2000000, *b = (u32 *)0x3000000, *c = (u32 *)0x4000000;
	for (u32 i = 0; i < count; i++) {
		u32 na = *at++, nb = *at++, nc = *at++, n = *at++;
		copy(a, at, na), at += na;
		copy(b, at, nb), at += nb;
		copy(c, at, nc), at += nc;
		const u32 *want = at;
		at += nc;
		for (u32 j = 0; j < n; j++, calls++) {
			i64 arguments[15];
			const void *function = (const char *)kernels + kernels[at[0]];
			arguments[0] = (i64)(c + at[1]), arguments[1] = (i64)(a + at[2]), arguments[2] = (i64)(b + at[3]);
			for (u32 k = 0; k < 11; k++) arguments[3 + k] = at[4 + k];
			arguments[14] = (i64)(at + 15);
			call_go(function, arguments);
			at += 15 + 16;
		}
		for (u32 j = 0; j < nc; j++, sums++) {
			if (c[j] == want[j]) continue;
			if (wrong++ < 10) text("case "), number(i), text(", word "), number(j), text(": "), number(c[j]), text(" instead of "), number(want[j]), text("\n");
		}
	}
	number(count), text(" products, "), number(calls), text(" calls, "), number(sums), text(" words, "), number(wrong), text(" wrong\n");
	wait(0x40);
	for (const char *s = "Shutdown"; *s; s++) out(0x8900, *s);
}
