import { Conflict } from '../lib/errors.ts'

/**
 * Returns a Markdown text with one task ticked or not.
 * @param position offset of the task's bracket in UTF-8 bytes, as rendered texts say
 * @throws Conflict when no task is there
 */
export function tickTask(text: string, position: number, isDone: boolean): string {
  const bytes = Buffer.from(text)
  const box = position < 0 ? '' : bytes.subarray(position, position + 3).toString()
  if (!/^\[[ xX]\]$/.test(box)) throw new Conflict('the task is not there any more; reload the page', 'task_not_found')
  const mark = Buffer.from(isDone ? '[x]' : '[ ]')
  return Buffer.concat([bytes.subarray(0, position), mark, bytes.subarray(position + 3)]).toString()
}
