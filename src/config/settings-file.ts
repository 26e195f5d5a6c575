import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ConfigRemark } from './config-error.ts'
import { parseIni } from './ini.ts'
import type { Origin, RawSettings } from './raw-settings.ts'
import { readSmallFile } from './small-file.ts'

/** Returns the path of the settings file: the given one, otherwise `app.ini` in the data folder if it exists. */
export function findSettingsFile(named: string | undefined, cwd: string, dataFolder: string): string | undefined {
  if (named !== undefined && named !== '') return resolve(cwd, named)
  const inData = resolve(cwd, dataFolder, 'app.ini')
  return existsSync(inData) ? inData : undefined
}

/** Reads a settings file into `raw`, and appends its errors and warnings to the lists. */
export function readSettingsFile(
  path: string,
  raw: RawSettings,
  problems: ConfigRemark[],
  warnings: ConfigRemark[],
): void {
  const read = readSmallFile(path)
  if (!read.ok) {
    problems.push({ where: path, file: path, section: '', key: '', reason: read.reason })
    return
  }
  const name = basename(path)
  const ini = parseIni(read.text)
  const locate = <T extends { line: number }>(remark: T) => ({
    ...remark,
    where: `${name} line ${remark.line}`,
    file: path,
  })
  problems.push(...ini.problems.map(locate))
  warnings.push(...ini.warnings.map(locate))
  for (const entry of ini.entries) {
    const earlier = raw.own(entry.section, entry.key.toUpperCase())
    const origin: Origin = { where: `${name} line ${entry.line}`, file: path, line: entry.line }
    if (earlier !== undefined) {
      const reason = `stands here again and replaces line ${earlier.origin.line ?? 0}`
      warnings.push({ ...origin, section: entry.section, key: entry.key, reason })
    }
    raw.set(entry.section, { key: entry.key, text: entry.value, isInterpolated: true, origin })
  }
}
