import { maxAccountNameLength, mayNameAccount } from '../../users/name.rules.ts'
import type { OpenIdSettings } from '../source.rules.ts'
import type { Person } from '../person.service.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

/** A person as described by a provider's claims. */
export interface OpenIdPerson extends Person {
  /** Whether the provider confirms the address. */
  readonly isEmailProven: boolean
  /** Name at the provider, for display. */
  readonly shownName: string
  readonly picture: string
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** Returns the texts of a claim that is a string or a list. */
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) =>
    typeof each === 'string' && each !== ''
      ? [each]
      : typeof each === 'boolean' || typeof each === 'number'
        ? [String(each)]
        : [],
  )

/** Returns a valid account name derived from a claim; empty when impossible. */
export function accountNameOf(claimed: string, rules: { readonly allowDotsInUsernames: boolean }): string {
  const plain = claimed
    .replace(/@.*$/s, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(rules.allowDotsInUsernames ? /[^0-9A-Za-z_.-]+/g : /[^0-9A-Za-z_-]+/g, '-')
    .replaceAll(/([-_.])[-_.]+/g, '$1')
    .slice(0, maxAccountNameLength)
  const name = trimBoth(plain, '-_.')
  return mayNameAccount(name, rules).allowed ? name : ''
}

/** Returns whether the claims contain the required one. */
export function hasRequiredClaim(settings: OpenIdSettings, claims: Claims): boolean {
  const { required_claim_name: name, required_claim_value: value } = settings
  if (name === '') return true
  if (!Object.hasOwn(claims, name)) return false
  return value === '' || textsOf(claims[name]).includes(value)
}

/** @param from the claim of the account name (`[oauth2_client].USERNAME`) */
export function personOfClaims(
  settings: OpenIdSettings,
  claims: Claims & { readonly sub: string },
  from: 'userid' | 'nickname' | 'email',
  rules: { readonly allowDotsInUsernames: boolean },
): OpenIdPerson {
  const email = textOf(claims['email'])
  const nickname = textOf(claims['preferred_username']) || textOf(claims['nickname'])
  const groups = textsOf(claims[settings.group_claim_name])
  const claim = { userid: claims.sub, nickname, email }[from]
  const isIn = (group: string): boolean | undefined => (group === '' ? undefined : groups.includes(group))
  const isAdmin = isIn(settings.admin_group)
  return {
    loginName: claims.sub,
    name: accountNameOf(claim, rules),
    email,
    isEmailProven: email !== '' && claims['email_verified'] === true,
    fullName: textOf(claims['name']),
    shownName: nickname || email || claims.sub,
    picture: textOf(claims['picture']),
    groups,
    isAdmin,
    isRestricted: isAdmin ? false : isIn(settings.restricted_group),
  }
}
