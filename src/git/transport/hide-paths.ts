import { Transform } from 'node:stream'

/**
 * Replaces paths of the server in what git writes to a client: git names files that it cannot lock or write. The
 * packets carry their length, so the replacement has the length of the path.
 * @param root folder of all repositories
 */
export function hidePaths(root: string): Transform {
  const escaped = root.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const paths = new RegExp(`${escaped}/[0-9a-f]{2}/[0-9a-f]{24}\\.git`, 'g')
  const word = 'repository'
  let kept = ''
  const hidden = (text: string): string => text.replace(paths, (path) => word.padEnd(path.length, '.'))
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = kept + chunk.toString('latin1')
      // The end of a chunk may be the beginning of a path; it waits for the next chunk.
      const end = beginningOf(text, root)
      kept = text.slice(end)
      done(null, Buffer.from(hidden(text.slice(0, end)), 'latin1'))
    },
    flush(done) {
      done(null, Buffer.from(hidden(kept), 'latin1'))
    },
  })
}

/** Length of a repository's path after the root: `/`, two digits, `/`, 24 digits, `.git`. */
const tailLength = 32

/** Index where a text ends with what may be the beginning of a repository's path. */
function beginningOf(text: string, root: string): number {
  for (let at = Math.max(0, text.length - root.length - tailLength + 1); at < text.length; at++) {
    const rest = text.slice(at)
    if (root.startsWith(rest) || rest.startsWith(`${root}/`)) return at
  }
  return text.length
}
