import type { EventName } from '../events/catalogue.ts'
import type { Forge } from './forge.ts'

/** Returns the data of the newest events of a kind, oldest first. */
export async function eventsNamed(forge: Forge, name: EventName): Promise<Record<string, unknown>[]> {
  const { json } = await forge.as('root').must('GET', `/admin/events/log?name=${name}&limit=50`)
  return json.events.map((event: { data: Record<string, unknown> }) => event.data)
}

/** Returns the id of an account. */
export const idOf = async (forge: Forge, name: string): Promise<number> => (await forge.account(name)).user.id
