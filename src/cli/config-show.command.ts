import { Command } from 'commander'
import type { EffectiveSetting } from '../config/load-config.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

interface ShowOptions extends InstanceOptions {
  readonly changed?: boolean
  readonly json?: boolean
  readonly meanings?: boolean
}

export const configShowCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('show'))
    .description('print the effective settings in the form of app.ini; secrets are masked')
    .argument('[section]', 'print only this section')
    .option('--changed', 'print only settings that differ from their default')
    .option('--meanings', 'print the meaning and the default of each setting')
    .option('--json', 'print JSON')
    .action((section: string | undefined, options: ShowOptions) => show(terminal, section, options))

function show(terminal: Terminal, section: string | undefined, options: ShowOptions): void {
  const shown = readInstance(options).settings.filter(
    (setting) =>
      (section === undefined || setting.section === section) && (!options.changed || setting.origin !== 'default'),
  )
  terminal.out(options.json ? `${JSON.stringify(shown, null, 2)}\n` : asIni(shown, options.meanings === true))
}

function asIni(settings: readonly EffectiveSetting[], withMeanings: boolean): string {
  const sections = Map.groupBy(settings, (setting) => setting.section)
  // Keys without a section must precede the first section.
  const names = [...sections.keys()].sort((a, b) => Number(a !== '') - Number(b !== ''))
  return names
    .map((name) => {
      const lines = (sections.get(name) ?? []).flatMap((setting) => linesOf(setting, withMeanings))
      return [...(name === '' ? [] : [`[${name}]`]), ...lines, ''].join('\n')
    })
    .join('\n')
}

function linesOf(setting: EffectiveSetting, withMeanings: boolean): string[] {
  const line = `${setting.key} = ${setting.value}${setting.origin === 'default' ? '' : ` ; ${setting.origin}`}`
  if (!withMeanings) return [line]
  const usual = setting.defaultText === '' ? '' : `; default ${setting.defaultText}`
  return [`; ${setting.meaning} (${setting.kind}${usual})`, line]
}
