import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { grants, isWithin, type TokenScopes } from './token-scopes.ts'
import type { Credential } from './viewer.ts'

// A password, a session and a trusted proxy have all rights of the account. An SSH key, a deploy key and a workflow job
// issue nothing. Operations of accounts refuse public-only tokens before (`outlivesCredential`).

/** Returns whether the credential may create a token with these scopes: a token only passes on scopes that it has. */
export function mayIssueToken(credential: Credential, wanted: TokenScopes): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('credential_issues_no_token', 'these credentials cannot create tokens')
  return isWithin(wanted, credential.scopes)
    ? allow
    : deny('token_scope_too_wide', 'a token cannot create a token of wider scope')
}

/**
 * Returns whether the credential may add an SSH key to an account or a repository. The contract grants this to a token
 * with the scope of the address. With `[ingot].STRICT_TOKENS` the token must also have `write:repository`, as the key
 * does, or `admin:public_key`.
 */
export function mayIssueKey(credential: Credential, isStrict: boolean): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('credential_issues_no_key', 'these credentials cannot add keys')
  const { scopes } = credential
  return !isStrict || scopes.narrow.has('admin:public_key') || grants(scopes, 'repository', 'write')
    ? allow
    : deny('key_scope_missing', 'a token that adds keys needs the scope write:repository or admin:public_key')
}

/**
 * Returns whether the credential may set a password or make an account an administrator. The contract grants this to a
 * token with `write:admin`. With `[ingot].STRICT_TOKENS` an administrator's password and promotion require a token with
 * all scopes.
 */
export function mayIssuePassword(
  credential: Credential,
  { isAdmin, isStrict }: { readonly isAdmin: boolean; readonly isStrict: boolean },
): Verdict {
  if (isAccountItself(credential)) return allow
  if (credential.kind !== 'token') return deny('credential_sets_no_password', 'these credentials cannot set passwords')
  const { scopes } = credential
  if (scopes.publicOnly) return deny('public_only_sets_no_password', 'a public-only token cannot set passwords')
  return !isStrict || !isAdmin || scopes.isEverything
    ? allow
    : deny(
        'password_scope_missing',
        'a token that sets the password of an administrator, or makes one, needs the scope all',
      )
}

const isAccountItself = ({ kind }: Credential): boolean => kind === 'password' || kind === 'session' || kind === 'proxy'
