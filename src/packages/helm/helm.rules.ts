import { BadRequest } from '../../lib/errors.ts'
import { semverOf } from '../registry/semver.rules.ts'

/** Longest chart name in characters. */
const maxNameLength = 250
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Metadata of a chart: its description, as the index shows it. */
export type ChartMetadata = Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }

/** Parses the description of a chart. Throws `BadRequest`. */
export function chartOf(description: unknown): ChartMetadata {
  const chart = typeof description === 'object' && description !== null ? (description as Record<string, unknown>) : {}
  const { name, version } = chart
  if (typeof name !== 'string' || name.length > maxNameLength || !nameForm.test(name)) {
    throw new BadRequest('the name of the chart is invalid', 'package_name_invalid')
  }
  if (typeof version !== 'string' || semverOf(version) === undefined) {
    throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
  }
  return { ...chart, name, version }
}

export const chartFileName = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `${name}-${version}.tgz`.toLowerCase()
