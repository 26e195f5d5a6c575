import { maxAnswerBytes, WorkTooCostly } from './work-budget.ts'

const tooLarge = (): WorkTooCostly =>
  new WorkTooCostly('outputBytes', 'the answer is too large; ask for fewer items, for example with a smaller limit')

/**
 * Adds up the bytes of the items of an answer while they are encoded. A single item always fits: nothing smaller can be
 * asked for.
 * @throws WorkTooCostly
 */
export function listMeter(count: number): (sizeBytes: number) => void {
  let sum = 0
  return (sizeBytes) => {
    sum += sizeBytes
    if (count > 1 && sum > maxAnswerBytes) throw tooLarge()
  }
}

/**
 * Returns the JSON of an answer. Lists, in the answer or in its members, are encoded item by item, and end the request
 * when they are above the limit. The text is the same as that of `JSON.stringify`.
 * @throws WorkTooCostly
 */
export function listJson(body: unknown): string {
  if (Array.isArray(body)) return itemsJson(body, listMeter(body.length))
  if (!isRecord(body)) return JSON.stringify(body)
  const lists = Object.values(body).filter(Array.isArray)
  if (lists.length === 0) return JSON.stringify(body)
  const weigh = listMeter(lists.reduce((count, list) => count + list.length, 0))
  const members = Object.entries(body).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? itemsJson(value, weigh) : (JSON.stringify(value) as string | undefined)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join(',')}}`
}

const isRecord = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !('toJSON' in body)

function itemsJson(items: readonly unknown[], weigh: (sizeBytes: number) => void): string {
  const texts = items.map((item) => {
    const text = JSON.stringify(item) ?? 'null'
    weigh(Buffer.byteLength(text))
    return text
  })
  return `[${texts.join(',')}]`
}
