import { trimTrailing } from '../lib/trim-ends.ts'
import type { ConfigRemark } from './config-error.ts'
import { readSmallFile } from './small-file.ts'

/** The first administrator, created in an empty instance. */
export interface FirstAdmin {
  readonly login: string
  readonly password: string
  readonly email: string
}

/** Default name of the first administrator. */
export const firstLogin = 'root'

/**
 * Returns the administrator of the variables `INGOT_ADMIN_LOGIN`, `_PASSWORD` and `_EMAIL`; only the password is
 * necessary, and the result is undefined without any of them. With the suffix `__FILE` the value is the content of a file.
 * @param problems receives the mistakes
 */
export function readFirstAdmin(
  env: Readonly<Record<string, string | undefined>>,
  problems: ConfigRemark[],
): FirstAdmin | undefined {
  const problem = (where: string, reason: string) => problems.push({ where, section: '', key: '', reason })
  const read = (name: string): string => {
    const path = env[`${name}__FILE`]
    if (path === undefined || path === '') return env[name] ?? ''
    const file = readSmallFile(path)
    if (file.ok) return trimTrailing(file.text, '\r\n')
    problem(`${name}__FILE`, `${path}: ${file.reason}`)
    return ''
  }
  const login = read('INGOT_ADMIN_LOGIN')
  const password = read('INGOT_ADMIN_PASSWORD')
  const email = read('INGOT_ADMIN_EMAIL')
  if (login === '' && password === '' && email === '') return undefined
  if (password === '') problem('INGOT_ADMIN_PASSWORD', 'is needed with the other INGOT_ADMIN_ variables')
  if (email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email)) problem('INGOT_ADMIN_EMAIL', 'must be an e-mail address')
  const name = login === '' ? firstLogin : login
  return { login: name, password, email: email === '' ? `${name}@localhost` : email }
}
