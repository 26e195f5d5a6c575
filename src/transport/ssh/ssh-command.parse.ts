import type { GitService } from '../git-access.service.ts'
import { readGitAddress, type GitAddress } from '../git-address.ts'
import { trimBoth } from '../../lib/trim-ends.ts'
import { wordTable } from '../../lib/word-table.ts'

/** The command of a session. */
export type SshCommand =
  | { readonly kind: 'git'; readonly service: GitService; readonly address: GitAddress }
  /** Asks for a ticket for the LFS API; the operation is checked later. */
  | { readonly kind: 'lfs-ticket'; readonly address: GitAddress; readonly operation: string }
  /** Another command, by its first word. */
  | { readonly kind: 'unknown'; readonly name: string }

const services = wordTable<GitService>({
  'git-upload-pack': 'git-upload-pack',
  'git-receive-pack': 'git-receive-pack',
  'git-upload-archive': 'git-upload-archive',
})

/** Longest command line, in characters. */
const maxCommandLength = 4096

/**
 * Parses a command line as git writes it: `git-upload-pack '/owner/name.git'`, also with a space instead of the first
 * hyphen. Nothing is expanded or executed.
 */
export function parseSshCommand(line: string): SshCommand {
  const words = line.length > maxCommandLength ? [] : splitWords(line)
  const [first = '', ...rest] = words
  const [name, ...args] = first === 'git' && rest.length > 0 ? [`git-${rest[0]}`, ...rest.slice(1)] : [first, ...rest]
  if (name === 'git-lfs-authenticate') {
    // Old clients also name an object.
    const lfsAddress = args.length === 2 || args.length === 3 ? readPath(args[0] as string) : undefined
    if (lfsAddress) return { kind: 'lfs-ticket', address: lfsAddress, operation: args[1] as string }
  }
  const service = services[name]
  const address = args.length === 1 ? readPath(args[0] as string) : undefined
  return service && address ? { kind: 'git', service, address } : { kind: 'unknown', name: name.slice(0, 80) }
}

function readPath(path: string): GitAddress | undefined {
  const [owner, last, ...more] = trimBoth(path, '/').split('/')
  return owner && last && more.length === 0 ? readGitAddress(owner, last) : undefined
}

/** Splits words with shell quotes: single, double, and backslashes outside single quotes. */
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
