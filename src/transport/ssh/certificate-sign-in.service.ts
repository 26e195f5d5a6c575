import type { Services } from '../../access/context.ts'
import { findPersonByPrimary } from '../../auth/account.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { nowUnix } from '../../lib/time.ts'
import { readCertificate, type SshCertificate, trustedAuthorities } from '../../secrets/ssh-certificate.ts'
import { certificateProblem, usablePrincipals } from './ssh-certificate.rules.ts'

/** A trusted certificate and its account. The client must still prove that it has the key. */
export interface CertifiedPerson {
  readonly certificate: SshCertificate
  readonly user: UserRow
}

/** Principals of one certificate that are looked up. */
const maxPrincipals = 32

/**
 * The account that a certificate's principals name, as far as the settings allow names and addresses. Undefined when
 * the certificate is invalid or names no account or several; the log has the reason.
 */
export async function findCertified(
  services: Services,
  blob: Buffer,
  address: string,
): Promise<CertifiedPerson | undefined> {
  const { sshTrustedUserCaKeys: authorities, sshAuthorizedPrincipalsAllow: allowed } = services.config.server
  const certificate = authorities.length === 0 ? undefined : readCertificate(blob)
  if (!certificate) return undefined
  const refused = (reason: string): undefined => {
    const { name, serial } = certificate
    services.log('info', 'an SSH certificate was refused', { name: name.slice(0, 200), serial: `${serial}`, reason })
  }
  const arrival = { trusted: trustedAuthorities(authorities), address, nowUnix: nowUnix(services.clock) }
  const problem = certificateProblem(certificate, arrival)
  if (problem !== undefined) return refused(problem)
  const principals = usablePrincipals(certificate, allowed)
  if (principals.length > maxPrincipals) return refused('it has too many principals')
  const found = await Promise.all(principals.map((principal) => findPersonByPrimary(services.db, principal)))
  const users = new Map(found.flatMap((user) => (user ? [[user.id, user]] : [])))
  const [user] = users.values()
  if (user === undefined) return refused('its principals name no account')
  return users.size === 1 ? { certificate, user } : refused('its principals name several accounts')
}
