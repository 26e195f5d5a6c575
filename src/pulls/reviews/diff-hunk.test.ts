import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hunkAround } from './diff-hunk.ts'

const diff = `diff --git a/lines.txt b/lines.txt
index 624b469..5a95389 100644
--- a/lines.txt
+++ b/lines.txt
@@ -1,12 +1,12 @@
 line 1
 line 2
-line 3
+third
 line 4
 line 5
 line 6
 line 7
 line 8
 line 9
-line 10
+tenth
 line 11
 line 12
`

test('a line near the start of a hunk keeps the header', () => {
  assert.equal(hunkAround(diff, { side: 'new', line: 3 }), '@@ -1,12 +1,12 @@\n line 1\n line 2\n-line 3\n+third')
})

test('a longer hunk is shortened to four lines with a recalculated header', () => {
  assert.equal(hunkAround(diff, { side: 'old', line: 10 }), '@@ -7,4 +7,3 @@\n line 7\n line 8\n line 9\n-line 10')
  assert.equal(hunkAround(diff, { side: 'new', line: 10 }), '@@ -8,3 +8,3 @@\n line 8\n line 9\n-line 10\n+tenth')
  assert.equal(hunkAround(diff, { side: 'new', line: 6 }), '@@ -4,3 +3,4 @@\n+third\n line 4\n line 5\n line 6')
})

test('a line directly after a hunk shows its last lines, a line outside of each hunk shows nothing', () => {
  const added = `diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
\\ No newline at end of file
`
  assert.equal(hunkAround(added, { side: 'new', line: 1 }), '@@ -0,0 +1,2 @@\n+one')
  assert.equal(hunkAround(added, { side: 'new', line: 3 }), '@@ -0,0 +1,2 @@\n+one\n+two')
  assert.equal(hunkAround(added, { side: 'new', line: 30 }), '')
  assert.equal(hunkAround('', { side: 'new', line: 1 }), '')
})
