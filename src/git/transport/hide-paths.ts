import { Transform } from 'node:stream'

/**
 * What git says to a client while it takes a push, without the paths of this server: git names files when it cannot lock
 * or write them. The answer is made of packets that begin with their length, so a path gives way to as many other
 * characters.
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
      // Nearly no piece ends in what may be the beginning of a path; one that does waits for the next.
      const end = beginningOf(text, root)
      kept = text.slice(end)
      done(null, Buffer.from(hidden(text.slice(0, end)), 'latin1'))
    },
    flush(done) {
      done(null, Buffer.from(hidden(kept), 'latin1'))
    },
  })
}

/** Characters of a path of a repository after the root: `/`, two digits, `/`, 24 digits, `.git`. */
const tailLength = 32

/** Where the end of a text begins that may go on as the path of a repository. */
function beginningOf(text: string, root: string): number {
  for (let at = Math.max(0, text.length - root.length - tailLength + 1); at < text.length; at++) {
    const rest = text.slice(at)
    if (root.startsWith(rest) || rest.startsWith(`${root}/`)) return at
  }
  return text.length
}
