/** How a script is run. */
export interface ShellCommand {
  /** Where the script is written. */
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
}

/** Shells by their names, as files know them: what is run, and the ending of the script. */
const shells: Readonly<Record<string, readonly [ending: string, ...command: string[]]>> = {
  bash: ['.sh', 'bash', '--noprofile', '--norc', '-eo', 'pipefail', '{0}'],
  sh: ['.sh', 'sh', '-e', '{0}'],
  python: ['.py', 'python3', '{0}'],
  node: ['.mjs', 'node', '{0}'],
  pwsh: ['.ps1', 'pwsh', '-command', '. {0}'],
}

/**
 * The command for a script.
 * @param shell a name, or a command with `{0}` in the place of the script; undefined is bash where there is one
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
