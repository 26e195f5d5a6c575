import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { grants, isWithin, type TokenScopes } from './token-scopes.ts'
import type { Credential } from './viewer.ts'

// A password, a session and a trusted proxy stand for the whole account. An SSH key, a deploy key and a job of a workflow
// issue nothing. Public-only tokens are refused before (`outlivesCredential` of the operations) and here once more.

/** Returns whether the credential may create a token with these scopes: only with scopes that it has itself. */
export function mayIssueToken(credential: Credential, wanted: TokenScopes): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials cannot create tokens')
  return isWithin(wanted, credential.scopes) ? allow : deny('a token cannot create a token of wider scope')
}

/**
 * Returns whether the credential may add an SSH key, of an account or of one repository. The scope of the address is enough
 * for a token, because the contract grants it. With `[ingot].STRICT_TOKENS` the token must also be able to write
 * repositories, as the key can, or be made for keys.
 */
export function mayIssueKey(credential: Credential, isStrict: boolean): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials cannot add keys')
  const { scopes } = credential
  if (scopes.publicOnly) return deny('a public-only token cannot add keys')
  return !isStrict || scopes.narrow.has('admin:public_key') || grants(scopes, 'repository', 'write')
    ? allow
    : deny('a token that adds keys needs the scope write:repository or admin:public_key')
}

/**
 * Returns whether the credential may give an account a password, or make it an administrator. The scope `write:admin` is
 * enough for a token, because the contract grants it. With `[ingot].STRICT_TOKENS` the password of an administrator, and
 * making one, take a token of all scopes.
 */
export function mayIssuePassword(
  credential: Credential,
  { isAdmin, isStrict }: { readonly isAdmin: boolean; readonly isStrict: boolean },
): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials cannot set passwords')
  const { scopes } = credential
  if (scopes.publicOnly) return deny('a public-only token cannot set passwords')
  return !isStrict || !isAdmin || scopes.isEverything
    ? allow
    : deny('a token that sets the password of an administrator, or makes one, needs the scope all')
}

const isAccountItself = ({ kind }: Credential): boolean => kind === 'password' || kind === 'session' || kind === 'proxy'
