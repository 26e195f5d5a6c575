import type { GitService } from '../git-access.service.ts'
import { readGitAddress, type GitAddress } from '../git-address.ts'
import { wordTable } from '../../lib/word-table.ts'

/** What a client asks for on a session. */
export type SshCommand =
  | { readonly kind: 'git'; readonly service: GitService; readonly address: GitAddress }
  /** A ticket for the LFS API; what it is wanted for is judged later. */
  | { readonly kind: 'lfs-ticket'; readonly address: GitAddress; readonly operation: string }
  /** Anything else, by its first word. */
  | { readonly kind: 'unknown'; readonly name: string }

const services = wordTable<GitService>({
  'git-upload-pack': 'git-upload-pack',
  'git-receive-pack': 'git-receive-pack',
  'git-upload-archive': 'git-upload-archive',
})

/** Longest command line that is looked at, in characters. */
const maxCommandLength = 4096

/**
 * Reads a command line as git writes it: `git-upload-pack '/owner/name.git'`, also with a space in the place of the
 * first hyphen. Nothing is expanded and nothing is run: it is only taken apart.
 */
export function parseSshCommand(line: string): SshCommand {
  const words = line.length > maxCommandLength ? [] : splitWords(line)
  const [first = '', ...rest] = words
  const [name, ...args] = first === 'git' && rest.length > 0 ? [`git-${rest[0]}`, ...rest.slice(1)] : [first, ...rest]
  if (name === 'git-lfs-authenticate') {
    // Clients of long ago name an object as well.
    const lfsAddress = args.length === 2 || args.length === 3 ? readPath(args[0] as string) : undefined
    if (lfsAddress) return { kind: 'lfs-ticket', address: lfsAddress, operation: args[1] as string }
  }
  const service = services[name]
  const address = args.length === 1 ? readPath(args[0] as string) : undefined
  return service && address ? { kind: 'git', service, address } : { kind: 'unknown', name: name.slice(0, 80) }
}

function readPath(path: string): GitAddress | undefined {
  const [owner, last, ...more] = path.replace(/^\/+|\/+$/g, '').split('/')
  return owner && last && more.length === 0 ? readGitAddress(owner, last) : undefined
}

/** Words with the quotes of a shell: single, double, and the backslash outside of single ones. */
function splitWords(line: string): string[] {
  const words: string[] = []
  for (const [word] of line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs)) {
    words.push(
      word.replaceAll(
        /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
        (_, single?: string, double?: string, plain?: string) =>
          single ?? plain ?? (double ?? '').replaceAll(/\\([\\"$`])/g, '$1'),
      ),
    )
  }
  return words
}
