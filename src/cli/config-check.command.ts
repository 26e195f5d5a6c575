import { Command } from 'commander'
import { formatRemark } from '../config/config-error.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

export const configCheckCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('check'))
    .description('say whether the settings can be used, and what is doubtful about them')
    .action((options: InstanceOptions) => {
      const { file, warnings } = readInstance(options)
      for (const warning of warnings) terminal.out(`warning: ${formatRemark(warning)}\n`)
      terminal.out(`${file ?? 'the built-in settings'}: can be used\n`)
    })
