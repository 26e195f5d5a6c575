import { Command } from 'commander'
import { formatRemark } from '../config/config-error.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'

export const configCheckCommand = (): Command =>
  withInstanceOptions(new Command('check'))
    .description('say whether the settings can be used, and what is doubtful about them')
    .action((options: InstanceOptions) => {
      const { file, warnings } = readInstance(options)
      for (const warning of warnings) process.stdout.write(`warning: ${formatRemark(warning)}\n`)
      process.stdout.write(`${file ?? 'the built-in settings'}: can be used\n`)
    })
