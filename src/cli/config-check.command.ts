import { Command } from 'commander'
import { ConfigError, formatRemark, type ConfigRemark } from '../config/config-error.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { checkStart, tryStart } from './start-checks.ts'
import type { Terminal } from './terminal.ts'

export const configCheckCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('check'))
    .description('check the settings and print errors and warnings')
    .action((options: InstanceOptions) => check(terminal, options))

async function check(terminal: Terminal, options: InstanceOptions): Promise<void> {
  const warn = (remarks: readonly ConfigRemark[]): void => {
    for (const remark of remarks) terminal.out(`warning: ${formatRemark(remark)}\n`)
  }
  try {
    const loaded = readInstance(options)
    const { file, warnings, idle } = loaded
    warn([...warnings, ...idle])
    await checkStart(loaded)
    for (const silent of await tryStart(loaded)) terminal.out(`warning: ${silent}\n`)
    terminal.out(`${file ?? 'the default settings'}: valid\n`)
  } catch (error) {
    // Warnings come first: a misspelled key is often the cause of an error.
    if (!(error instanceof ConfigError)) throw error
    warn(error.warnings)
    throw new ConfigError(error.problems)
  }
}
