import type { UserId } from '../lib/ids.ts'

interface PresentedAccount {
  readonly id: UserId
  readonly login: string
  readonly email: string
}

const isAccount = (value: object): value is PresentedAccount =>
  'login' in value && 'email' in value && typeof (value as { id?: unknown }).id === 'number'

/** Returns the ids of the accounts in a payload, at any depth. */
export function accountIdsIn(value: unknown, found = new Set<UserId>()): Set<UserId> {
  if (typeof value !== 'object' || value === null) return found
  if (isAccount(value)) found.add(value.id)
  for (const member of Object.values(value)) accountIdsIn(member, found)
  return found
}

/** Returns a copy of a payload with the mail addresses of accounts replaced, at any depth. */
export function withAddresses<Value>(value: Value, addresses: ReadonlyMap<UserId, string>): Value {
  if (typeof value !== 'object' || value === null || addresses.size === 0) return value
  if (Array.isArray(value)) return value.map((member: unknown) => withAddresses(member, addresses)) as Value
  const members = Object.entries(value).map(([name, member]) => [name, withAddresses(member as unknown, addresses)])
  const copy = Object.fromEntries(members) as Value & object
  const address = isAccount(value) ? addresses.get(value.id) : undefined
  return address === undefined ? copy : { ...copy, email: address }
}
