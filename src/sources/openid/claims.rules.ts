import { maxAccountNameLength, mayNameAccount } from '../../users/name.rules.ts'
import type { OpenIdSettings } from '../source.rules.ts'
import type { Person } from '../person.service.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

/** What a provider says of somebody, by its claims. */
export interface OpenIdPerson extends Person {
  /** Whether the provider says that the address is theirs. */
  readonly isEmailProven: boolean
  /** What the provider calls them, for themselves. */
  readonly shownName: string
  readonly picture: string
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** The texts of a claim that is one or a list of them. */
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) =>
    typeof each === 'string' && each !== ''
      ? [each]
      : typeof each === 'boolean' || typeof each === 'number'
        ? [String(each)]
        : [],
  )

/** A name that an account may have, out of what a provider says; empty when there is none in it. */
export function accountNameOf(said: string, rules: { readonly allowDotsInUsernames: boolean }): string {
  const plain = said
    .replace(/@.*$/s, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(rules.allowDotsInUsernames ? /[^0-9A-Za-z_.-]+/g : /[^0-9A-Za-z_-]+/g, '-')
    .replaceAll(/([-_.])[-_.]+/g, '$1')
    .slice(0, maxAccountNameLength)
  const name = trimBoth(plain, '-_.')
  return mayNameAccount(name, rules).allowed ? name : ''
}

/** Whether somebody has the claim without which nobody is let in. */
export function hasRequiredClaim(settings: OpenIdSettings, claims: Claims): boolean {
  const { required_claim_name: name, required_claim_value: value } = settings
  if (name === '') return true
  if (!Object.hasOwn(claims, name)) return false
  return value === '' || textsOf(claims[name]).includes(value)
}

/** @param from what their name here is made of (`[oauth2_client].USERNAME`) */
export function personOfClaims(
  settings: OpenIdSettings,
  claims: Claims & { readonly sub: string },
  from: 'userid' | 'nickname' | 'email',
  rules: { readonly allowDotsInUsernames: boolean },
): OpenIdPerson {
  const email = textOf(claims['email'])
  const nickname = textOf(claims['preferred_username']) || textOf(claims['nickname'])
  const groups = textsOf(claims[settings.group_claim_name])
  const said = { userid: claims.sub, nickname, email }[from]
  const isIn = (group: string): boolean | undefined => (group === '' ? undefined : groups.includes(group))
  const isAdmin = isIn(settings.admin_group)
  return {
    loginName: claims.sub,
    name: accountNameOf(said, rules),
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
