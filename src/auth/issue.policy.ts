import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { grants, isWithin, type TokenScopes } from './token-scopes.ts'
import type { Credential } from './viewer.ts'

// What is issued opens no more than what issued it. A password, a session and who a proxy
// vouches for are the account itself. A workflow's job, an SSH
// key and a key of one repository issue nothing: each stands for less than an account, and nothing that is issued is as small.

/** Whether who asks with this credential may make a token with these scopes. */
export function mayIssueToken(credential: Credential, wanted: TokenScopes): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials can not make tokens')
  return isWithin(wanted, credential.scopes) ? allow : deny('a token can not make a token of wider scope')
}

/**
 * Whether who asks may add an SSH key, of an account or of one repository: a key reads and writes what is private, so a token
 * must do so as well, or be made for keys.
 */
export function mayIssueKey(credential: Credential): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials can not add keys')
  const { scopes } = credential
  if (scopes.publicOnly) return deny('a token for public things alone can not add keys')
  return scopes.narrow.has('admin:public_key') || grants(scopes, 'repository', 'write')
    ? allow
    : deny('a token that adds keys needs the scope write:repository or admin:public_key')
}

/**
 * Whether who asks may give an account a password, or make it an administrator. That is what the scope `write:admin` is for;
 * but an administrator's password is all of the forge, and takes a token of all scopes.
 */
export function mayIssuePassword(credential: Credential, account: { readonly isAdmin: boolean }): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('these credentials can not set passwords')
  const { scopes } = credential
  if (scopes.publicOnly) return deny('a token for public things alone can not set passwords')
  return !account.isAdmin || scopes.isEverything
    ? allow
    : deny('a token that sets the password of an administrator, or makes one, needs the scope all')
}

const isAccountItself = ({ kind }: Credential): boolean => kind === 'password' || kind === 'session' || kind === 'proxy'
