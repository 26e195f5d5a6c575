import { Command } from 'commander'
import type { Services } from '../access/context.ts'
import type { DoctorCheck } from '../access/contributions/doctor.ts'
import { examine, type CheckReport } from '../admin/doctor/doctor.service.ts'
import { allDoctorChecks } from '../app.ts'
import type { Config } from '../config/load-config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { CommandFailure, exitCodes } from './exit.ts'
import {
  checkDataFolder,
  readInstance,
  withInstance,
  withWarnings,
  withInstanceOptions,
  type InstanceOptions,
} from './instance.ts'
import type { Terminal } from './terminal.ts'

interface DoctorOptions extends InstanceOptions {
  readonly fix?: boolean
  readonly json?: boolean
  readonly only?: string
  readonly list?: boolean
  readonly claim?: boolean
  readonly takeReferences?: boolean
}

export const doctorCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('doctor'))
    .description('check the instance for inconsistencies; exit with 1 when there are any')
    .option('--fix', 'repair what can be repaired without loss, while the server runs or not')
    .option(
      '--take-references',
      'with --fix: take over references that were moved on the disk, instead of moving them back; stop the server first',
    )
    .option('--only <checks>', 'run only these checks, separated by commas')
    .option(
      '--claim',
      'first accept the instance key and the storages that the settings name as those of this database',
    )
    .option('--list', 'list the checks')
    .option('--json', 'print one JSON object per check')
    .action((options: DoctorOptions) => doctor(terminal, options))

async function doctor(terminal: Terminal, options: DoctorOptions): Promise<void> {
  if (options.list) {
    terminal.out(
      allDoctorChecks()
        .map(({ name, about }) => `${name}\t${about}\n`)
        .join(''),
    )
    return
  }
  const checks = selectChecks(options.only)
  const loaded = readInstance(options)
  await withWarnings(loaded.warnings, () => examineInstance(terminal, options, checks, loaded.config))
}

async function examineInstance(
  terminal: Terminal,
  options: DoctorOptions,
  checks: readonly DoctorCheck[],
  config: Config,
): Promise<void> {
  checkDataFolder(config)
  // References that a push is about to copy to the disk would count as moved back.
  const isLocked = (options.takeReferences === true || options.claim === true) && config.database.kind === 'sqlite3'
  const lock = isLocked ? lockFolder(config.paths.data) : undefined
  try {
    const identity = options.claim === true ? 'claim' : 'report'
    const run = async (services: Services): Promise<void> => {
      for await (const report of examine(services, checks, {
        fix: options.fix === true,
        takeReferences: options.takeReferences === true,
      })) {
        terminal.out(options.json ? asJson(report) : asText(report))
        if (report.findings.some(({ state }) => state !== 'fixed')) terminal.fail(exitCodes.failure)
      }
    }
    await withInstance(options, run, identity)
  } finally {
    lock?.release()
  }
}

function selectChecks(only: string | undefined): readonly DoctorCheck[] {
  const doctorChecks = allDoctorChecks()
  if (only === undefined) return doctorChecks
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !doctorChecks.some((check) => check.name === name))
  if (unknown !== undefined) {
    throw new CommandFailure(`--only ${unknown}: this check does not exist; --list shows the checks`)
  }
  return doctorChecks.filter((check) => names.includes(check.name))
}

const stateWords = { fixed: 'fixed', fixable: 'can be fixed with --fix', report: 'needs an administrator' }

function asText({ check, findings, more }: CheckReport): string {
  const lines = findings.map(({ what, state }) => `  ${what} (${stateWords[state]})`)
  if (more > 0) lines.push(`  and ${more} more`)
  return [`${findings.length === 0 ? 'ok' : 'not ok'} ${check.name}: ${check.about}`, ...lines, ''].join('\n')
}

const asJson = ({ check, findings, more }: CheckReport): string =>
  `${JSON.stringify({ check: check.name, about: check.about, findings, more })}\n`
