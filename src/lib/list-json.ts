import { usualWorkLimits, WorkTooCostly } from './work-budget.ts'

/** Most bytes of the items of a list: their texts take from the budget, and this bounds what their number adds. */
export const maxListBytes = 2 * usualWorkLimits.outputBytes

const tooLarge = (): WorkTooCostly =>
  new WorkTooCostly('outputBytes', 'the answer is too large; ask for fewer items, for example with a smaller limit')

/**
 * Adds up the bytes of the items of a list while they are encoded. A single item always fits: nothing smaller can be
 * asked for.
 * @throws WorkTooCostly
 */
export function listMeter(count: number): (sizeBytes: number) => void {
  let sum = 0
  return (sizeBytes) => {
    sum += sizeBytes
    if (count > 1 && sum > maxListBytes) throw tooLarge()
  }
}

/**
 * Returns the JSON of an answer. Lists, in the answer or in its members, are encoded item by item, and end the request
 * when they are above the limit. The text is the same as that of `JSON.stringify`.
 * @throws WorkTooCostly
 */
export function listJson(body: unknown): string {
  if (Array.isArray(body)) return itemsJson(body)
  if (!isRecord(body) || !Object.values(body).some(Array.isArray)) return JSON.stringify(body)
  const members = Object.entries(body).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? itemsJson(value) : (JSON.stringify(value) as string | undefined)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join(',')}}`
}

const isRecord = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !('toJSON' in body)

function itemsJson(items: readonly unknown[]): string {
  const weigh = listMeter(items.length)
  const texts = items.map((item) => {
    const text = JSON.stringify(item) ?? 'null'
    weigh(Buffer.byteLength(text))
    return text
  })
  return `[${texts.join(',')}]`
}
