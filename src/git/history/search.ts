import type { Oid } from '../../lib/ids.ts'
import { Refusal, Unavailable } from '../../lib/errors.ts'
import { checkOids, explainMissing, locate, type GitContext } from '../context.ts'
import type { FoundLine, ReadFrom, TextSearch } from '../git.ts'

/** Output of git that is read at most, in bytes. */
const maxOutputBytes = 4 << 20

/** Lines of one file that are found at most. */
const maxLinesOfFile = 20

/** Finds lines of the text files of a commit. */
export async function searchText(
  context: GitContext,
  at: ReadFrom,
  commit: Oid,
  query: TextSearch,
): Promise<{ readonly lines: readonly FoundLine[]; readonly isWhole: boolean }> {
  checkOids(commit)
  const location = locate(context, at)
  const chunks: Buffer[] = []
  let bytes = 0
  let ends = 0
  let isWhole = true
  const take = (chunk: Buffer): boolean => {
    // The broker uses the memory of a piece again.
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    for (let from = chunk.indexOf(10); from !== -1; from = chunk.indexOf(10, from + 1)) ends++
    isWhole = bytes <= maxOutputBytes && ends <= query.maxLines
    return isWhole
  }
  const command = {
    args: [
      'grep',
      '--threads=1',
      '-I',
      '-n',
      '-z',
      '-F',
      '--full-name',
      ...(query.ignoresCase ? ['-i'] : []),
      `--max-count=${maxLinesOfFile}`,
      '-e',
      query.text,
      commit,
      '--',
    ],
    cwd: location.directory,
    environment: location.environment,
    timeoutMs: query.timeoutMs,
    signal: query.signal,
  }
  try {
    const { exitCode, stderr } = await context.broker.each(command, take)
    // 1: no line was found.
    if (exitCode > 1) throw new Unavailable(`git grep failed: ${stderr.slice(0, 200)}`, 'git_failed')
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'git_timeout')) return explainMissing(location, error)
    isWhole = false
  }
  const lines = linesOf(Buffer.concat(chunks).toString('utf8'), commit)
  return { lines: lines.slice(0, query.maxLines), isWhole: isWhole && lines.length <= query.maxLines }
}

/** Parses `commit:path NUL line NUL text LF`. A last line without its end is left out. */
function linesOf(output: string, commit: Oid): FoundLine[] {
  const prefix = `${commit}:`
  const whole = output.slice(0, output.lastIndexOf('\n') + 1)
  const found: FoundLine[] = []
  // Paths may contain line breaks, and texts do not.
  for (const [, path = '', line = '', text = ''] of whole.matchAll(/([^\0]*)\0(\d+)\0([^\n]*)\n/g)) {
    if (path.startsWith(prefix)) found.push({ path: path.slice(prefix.length), line: Number(line), text })
  }
  return found
}
