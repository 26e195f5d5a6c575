import type { Oid } from '../../lib/ids.ts'
import { checkOids, locate, type GitContext } from '../context.ts'
import { readBounded } from './bounded-output.ts'
import type { RangeDiffQuery, ReadFrom, RewrittenCommit } from '../git.ts'

/** Output of git that is read at most, in bytes. */
const maxOutputBytes = 1 << 20

/** Comparing the commits of two ranges costs the product of their numbers. */
const timeoutMs = 10_000

const states = { '=': 'same', '!': 'changed', '<': 'removed', '>': 'added' } as const

/** Pairs the commits of two versions of a branch. */
export async function rangeDiff(
  context: GitContext,
  at: ReadFrom,
  { base, oldHead, newHead, signal }: RangeDiffQuery,
): Promise<{ readonly commits: readonly RewrittenCommit[]; readonly isWhole: boolean }> {
  checkOids(base, oldHead, newHead)
  const { output, isWhole } = await readBounded(context, locate(context, at), {
    args: ['-c', `core.abbrev=${base.length}`, 'range-diff', '--no-color', base, oldHead, newHead],
    timeoutMs,
    signal,
    maxBytes: maxOutputBytes,
  })
  return { commits: commitsOf(output.toString('utf8')), isWhole }
}

/** Parses a line `1:  <old> = 2:  <new> <subject>` for each pair, followed by its difference, which is indented. */
function commitsOf(output: string): RewrittenCommit[] {
  const commits: (RewrittenCommit & { readonly lines: string[] })[] = []
  // A last line without its end is left out.
  for (const line of output.split('\n').slice(0, -1)) {
    const pair = /^ {0,3}(?:\d+|-): {2}([0-9a-f]+|-+) ([=!<>]) {1,4}(?:\d+|-): {2}([0-9a-f]+|-+) (.*)$/.exec(line)
    if (pair === null) {
      commits.at(-1)?.lines.push(line.slice(4))
      continue
    }
    const [, oldOid = '', state = '=', newOid = '', subject = ''] = pair
    commits.push({
      oldOid: oldOid.startsWith('-') ? undefined : (oldOid as Oid),
      newOid: newOid.startsWith('-') ? undefined : (newOid as Oid),
      state: states[state as keyof typeof states],
      subject,
      lines: [],
    })
  }
  return commits
}
