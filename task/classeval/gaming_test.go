//go:build sandbox

package classeval

import (
	"testing"
	"time"

	"parley/task"
)

// TestGaming: the robust reward pays no game more than its methods are worth, the standard one pays none of those that only know the code of
// success or change what judges, and an honest pair earns all under both.
func TestGaming(t *testing.T) {
	p, err := ReadProblem(gamedItem())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range Gaming() {
		for _, v := range []task.RewardVariant{task.Standard, task.Robust} {
			mine := &Task{generation: Current, variant: v, sandboxes: sandboxes(t), budget: budget{2 * time.Second, time.Minute}}
			s, err := mine.Score(t.Context(), p, []string{g.First, g.Second})
			if err != nil {
				t.Fatal(err)
			}
			most := g.Most
			if v == task.Standard && !inPatches(g) {
				most = 6
			}
			if s.Reward > most+1e-9 || g.Name == "honest" && s.Reward < 6-1e-9 {
				t.Errorf("%s, %s: earns %v, want at most %v: %v", g.Name, v, s.Reward, most, s.Parts)
			}
		}
	}
}

func inPatches(g Gamed) bool {
	for _, p := range patches() {
		if p.Name == g.Name {
			return true
		}
	}
	return false
}

// remoteClass is what tests do with a class that is not in their process.
const remoteClass = `{"task_id":"mine","skeleton":"class Shelf:\n    ...","class_name":"Shelf","import_statement":["import datetime"],
"class_constructor":"class Shelf:\n    size = 3\n    def __init__(self, books=None):\n        self.books = [] if books is None else books\n        self.made = datetime.date(2020, 1, 2)\n",
"methods_info":[{"method_name":"put","method_description":"def put(self, x):"},{"method_name":"other","method_description":"def other(self):"}],
"test":"import unittest, io, os, sys\nclass A(unittest.TestCase):\n    def test_shared_argument(self):\n        mine = ['a']\n        s = Shelf(mine)\n        s.put('b')\n        self.assertEqual(mine, ['a', 'b'])\n        mine.append('c')\n        self.assertEqual(s.books, ['a', 'b', 'c'])\n        self.assertIs(s.books, mine)\n    def test_attributes(self):\n        s = Shelf()\n        s.books.append(1)\n        s.put(2)\n        self.assertEqual(s.books, [1, 2])\n        s.size = 4\n        self.assertEqual((s.size, Shelf.size, s.made), (4, 3, datetime.date(2020, 1, 2)))\n    def test_errors(self):\n        with self.assertRaisesRegex(ValueError, 'nothing'):\n            Shelf().put(None)\n        with self.assertRaises(AttributeError):\n            Shelf().missing\n    def test_instances(self):\n        s = Shelf([1])\n        self.assertIsInstance(s.other(), Shelf)\n        self.assertEqual(s.other(), s)\n        self.assertNotEqual(s.other(), Shelf([2]))\n        self.assertIs(s, s)\n    def test_printed(self):\n        out, sys.stdout = sys.stdout, io.StringIO()\n        Shelf().put('book')\n        self.assertEqual(sys.stdout.getvalue(), 'put book\\n')\n        sys.stdout = out\n    def test_files(self):\n        Shelf().put('title')\n        with open('shelf.txt') as f:\n            self.assertEqual(f.read(), 'title')\n        os.remove('shelf.txt')\n        Shelf().put('other')\n        self.assertEqual(os.listdir('.'), ['shelf.txt'])\n"}`

// TestRemoteClass: what tests do with a class is the same where the class is in another sandbox.
func TestRemoteClass(t *testing.T) {
	p, err := ReadProblem([]byte(remoteClass))
	if err != nil {
		t.Fatal(err)
	}
	put := "def put(self, x):\n    if x is None:\n        raise ValueError('it is nothing')\n    print('put', x)\n    self.books.append(x)\n    with open('shelf.txt', 'w') as f:\n        f.write(str(x))\n"
	for _, v := range []task.RewardVariant{task.Standard, task.Robust} {
		mine := &Task{generation: Current, variant: v, sandboxes: sandboxes(t), budget: usual}
		s, err := mine.Score(t.Context(), p, []string{"def other(self):\n    return Shelf(self.books)\ndef __eq__(self, o):\n    return self.books == o.books\n", put})
		if err != nil || s.Reward != 6 {
			t.Errorf("%s: %+v, %v", v, s, err)
		}
	}
}
