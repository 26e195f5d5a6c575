import { hash } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { BadRequest, Unavailable } from '../../lib/errors.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { passwordRanges } from './password-range.ts'
import { mayUsePassword } from './password.rules.ts'

/**
 * Checks that a password is long and complex enough and, with `[security].PASSWORD_CHECK_PWN`, not leaked. It waits for
 * another server, so no transaction may be open.
 * @throws BadRequest (`password_weak`, `password_leaked`); Unavailable when the lookup fails
 */
export async function checkNewPassword(services: Services, password: string): Promise<void> {
  const { security } = services.config
  const strong = mayUsePassword(password, security)
  if (!strong.allowed) throw new BadRequest(strong.reason, strong.code)
  if (security.passwordCheckPwn && (await isLeaked(services, password))) {
    throw new BadRequest('this password is on a list of leaked passwords; choose another one', 'password_leaked')
  }
}

/** Number of digits of the password's SHA-1 that the list server receives. */
const prefixDigits = 5

async function isLeaked(services: Services, password: string): Promise<boolean> {
  const digest = hash('sha1', password).toUpperCase()
  const rest = digest.slice(prefixDigits)
  const lines = (await rangeOf(services, digest.slice(0, prefixDigits))).split('\n')
  // Padding lines, which hide the number of matches, have the count 0.
  return lines.some((line) => line.startsWith(`${rest}:`) && Number(line.slice(rest.length + 1)) > 0)
}

async function rangeOf(services: Services, first: string): Promise<string> {
  try {
    const { status, body } = await passwordRanges
      .of(services)
      .request(services.config.ingot.passwordRangeUrl + first, { headers: { 'add-padding': 'true' } })
    if (status === 200) return body.toString('latin1')
    services.log('warn', 'the server with leaked passwords does not answer', { status })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    services.log('warn', 'the server with leaked passwords does not answer', { error })
  }
  throw new Unavailable('the password could not be looked up; try again later', 'password_unknown')
}
