import type { Oid } from '../../lib/ids.ts'
import { utf8OfLatin1 } from '../../lib/latin1.ts'
import { checkOids, locate, type GitContext } from '../context.ts'
import { readBounded } from './bounded-output.ts'
import { decodeName } from '../objects/object-codec.ts'
import type { FoundLine, ReadFrom, TextSearch } from '../git.ts'

/** Output of git that is read at most, in bytes. */
const maxOutputBytes = 4 << 20

/** Lines of one file that are found at most, unless the query says otherwise. */
const maxLinesOfFile = 20

/** Whether a path can match a pattern. Git resolves `.` and `..` in it, which would lead out of the repository. */
const mayMatch = (pattern: string): boolean =>
  !pattern.includes('\0') &&
  pattern
    .replace(/^:\([a-z,]*\)/, '')
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')

/** Finds lines of the text files of a commit. */
export async function searchText(
  context: GitContext,
  at: ReadFrom,
  commit: Oid,
  query: TextSearch,
): Promise<{ readonly lines: readonly FoundLine[]; readonly isWhole: boolean }> {
  checkOids(commit)
  const patterns = query.patterns?.filter(mayMatch) ?? []
  const isAboutNothing = patterns.length === 0 && (query.patterns ?? []).length > 0
  // A text file has no zero byte.
  if (isAboutNothing || query.text.includes('\0')) return { lines: [], isWhole: true }
  const location = locate(context, at)
  let ends = 0
  const { output, isWhole } = await readBounded(context, location, {
    args: [
      'grep',
      '--threads=1',
      '-I',
      '-n',
      '-z',
      '-F',
      '--full-name',
      ...(query.ignoresCase ? ['-i'] : []),
      `--max-count=${query.maxLinesOfFile ?? maxLinesOfFile}`,
      '-e',
      query.text,
      commit,
      '--',
      ...patterns,
    ],
    timeoutMs: query.timeoutMs,
    signal: query.signal,
    maxBytes: maxOutputBytes,
    // 1: no line was found.
    maxExitCode: 1,
    hasEnough(chunk) {
      for (let from = chunk.indexOf(10); from !== -1; from = chunk.indexOf(10, from + 1)) ends++
      return ends > query.maxLines
    },
  })
  const lines = linesOf(output.toString('latin1'), commit)
  return { lines: lines.slice(0, query.maxLines), isWhole: isWhole && lines.length <= query.maxLines }
}

/** Parses `commit:path NUL line NUL text LF` (latin1). A last line without its end is left out. */
function linesOf(output: string, commit: Oid): FoundLine[] {
  const prefix = `${commit}:`
  const whole = output.slice(0, output.lastIndexOf('\n') + 1)
  const found: FoundLine[] = []
  // Paths may contain line breaks, and texts do not.
  for (const [, path = '', line = '', text = ''] of whole.matchAll(/([^\0]*)\0(\d+)\0([^\n]*)\n/g)) {
    if (!path.startsWith(prefix)) continue
    found.push({
      path: decodeName(path.slice(prefix.length)),
      line: Number(line),
      text: utf8OfLatin1(text),
    })
  }
  return found
}
