import { wordTable } from '../lib/word-table.ts'

/** The command that runs a script. */
export interface ShellCommand {
  /** The path of the script. */
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
}

/** Shells by name: the file extension of the script, and the command. */
const shells = wordTable<readonly [ending: string, ...command: string[]]>({
  bash: ['.sh', 'bash', '--noprofile', '--norc', '-eo', 'pipefail', '{0}'],
  sh: ['.sh', 'sh', '-e', '{0}'],
  python: ['.py', 'python3', '{0}'],
  node: ['.mjs', 'node', '{0}'],
  pwsh: ['.ps1', 'pwsh', '-command', '. {0}'],
})

/**
 * Returns the command for a script.
 * @param shell a name, or a command in which `{0}` is the script; the default is bash, or sh without bash
 */
export function shellCommand(shell: string | undefined, script: string, hasBash: boolean): ShellCommand {
  const usual = hasBash ? 'bash -e {0}' : 'sh -e {0}'
  const [ending, ...words] = shells[shell ?? ''] ?? [
    '.sh',
    ...(shell ?? usual).split(' ').filter((word) => word !== ''),
  ]
  const file = `${script}${ending}`
  const [command = 'sh', ...args] = words.map((word) => word.replace('{0}', file))
  return { file, command, args: words.some((word) => word.includes('{0}')) ? args : [...args, file] }
}
