import type { ActionStatus } from '../../db/tables/actions.ts'
import { escapeXml } from '../../lib/escape-xml.ts'

const colours: { readonly [Status in ActionStatus]?: string } = {
  success: '#2e7d32',
  failure: '#c62828',
  cancelled: '#616161',
  skipped: '#616161',
}
const openColour = '#b26a00'
const noRunsColour = '#616161'

/** Longest name that is shown, in characters. */
const maxNameLength = 60
/** In pixels. */
const characterWidth = 7
const margin = 10
const height = 20

/** Returns the badge of a workflow as SVG. */
export function presentBadge(name: string, status: ActionStatus | undefined): string {
  const left = Array.from(name).slice(0, maxNameLength).join('')
  const right = status ?? 'no runs'
  const colour = status === undefined ? noRunsColour : (colours[status] ?? openColour)
  const leftWidth = Array.from(left).length * characterWidth + margin
  const rightWidth = right.length * characterWidth + margin
  const width = leftWidth + rightWidth
  const text = (x: number, content: string) => `<text x="${x}" y="14" text-anchor="middle">${escapeXml(content)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`${left}: ${right}`)}">`,
    `<rect width="${width}" height="${height}" rx="3" fill="#424242"/>`,
    `<rect x="${leftWidth}" width="${rightWidth}" height="${height}" rx="3" fill="${colour}"/>`,
    `<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">`,
    text(leftWidth / 2, left),
    text(leftWidth + rightWidth / 2, right),
    '</g></svg>',
  ].join('')
}
