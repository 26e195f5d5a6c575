import { Command } from 'commander'
import { ConfigError, formatRemark, type ConfigRemark } from '../config/config-error.ts'
import { checkCertificate, readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

export const configCheckCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('check'))
    .description('say whether the settings can be used, and what is doubtful about them')
    .action((options: InstanceOptions) => check(terminal, options))

async function check(terminal: Terminal, options: InstanceOptions): Promise<void> {
  const warn = (remarks: readonly ConfigRemark[]): void => {
    for (const remark of remarks) terminal.out(`warning: ${formatRemark(remark)}\n`)
  }
  try {
    const loaded = readInstance(options)
    const { file, warnings, idle } = loaded
    warn([...warnings, ...idle])
    await checkCertificate(loaded)
    terminal.out(`${file ?? 'the built-in settings'}: can be used\n`)
  } catch (error) {
    // An unknown key is often the reason of an error: the right one is missing.
    if (!(error instanceof ConfigError)) throw error
    warn(error.warnings)
    throw new ConfigError(error.problems)
  }
}
