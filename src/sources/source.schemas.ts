import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, closedObject, requestObject } from '../http/schema.ts'

const text = Type.String({ maxLength: 2000 })
const shortText = Type.String({ maxLength: 255 })
const teamMap = Type.Record(
  Type.String({ maxLength: 500 }),
  Type.Record(Type.String({ maxLength: 40 }), Type.Array(Type.String({ maxLength: 255 }))),
)

const openId = {
  discovery_url: text,
  client_id: shortText,
  scopes: Type.Array(shortText, { maxItems: 50 }),
  required_claim_name: shortText,
  required_claim_value: shortText,
  group_claim_name: shortText,
  admin_group: shortText,
  restricted_group: shortText,
  skip_second_factor: Type.Boolean(),
  team_map: teamMap,
  team_map_removes: Type.Boolean(),
}

const ldap = {
  host: shortText,
  port: Type.Integer(),
  security: enumeration('none', 'starttls', 'tls'),
  skip_tls_verify: Type.Boolean(),
  bind_dn: text,
  user_base: text,
  user_filter: text,
  user_dn: text,
  admin_filter: text,
  restricted_filter: text,
  username_attribute: shortText,
  first_name_attribute: shortText,
  surname_attribute: shortText,
  email_attribute: shortText,
  group_base: text,
  group_filter: text,
  group_member_attribute: shortText,
  user_attribute_in_group: shortText,
  synchronise: Type.Boolean(),
  allow_deactivate_all: Type.Boolean(),
  page_size: Type.Integer(),
  team_map: teamMap,
  team_map_removes: Type.Boolean(),
}

/** The secret is never shown. */
export const SignInSource = object('SignInSource', {
  id: Type.Integer(),
  kind: enumeration('openid', 'ldap'),
  name: Type.String(),
  active: Type.Boolean(),
  has_secret: Type.Boolean(),
  callback_url: Type.String(),
  openid: nullable(object('OpenIDSourceSettings', openId)),
  ldap: nullable(object('LDAPSourceSettings', ldap)),
  created: dateTime(),
  updated: dateTime(),
})
export type SignInSource = Static<typeof SignInSource>

const openIdOption = Type.Partial(Type.Object(openId), { additionalProperties: false })
const ldapOption = Type.Partial(Type.Object(ldap), { additionalProperties: false })

export const CreateSignInSourceOption = closedObject('CreateSignInSourceOption', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  active: Type.Optional(Type.Boolean()),
  secret: Type.Optional(text),
  openid: Type.Optional(openIdOption),
  ldap: Type.Optional(ldapOption),
})

export const EditSignInSourceOption = closedObject('EditSignInSourceOption', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  active: Type.Optional(Type.Boolean()),
  secret: Type.Optional(text),
  openid: Type.Optional(openIdOption),
  ldap: Type.Optional(ldapOption),
})
export type EditSignInSourceOption = Static<typeof EditSignInSourceOption>

export const TestSignInSourceOption = requestObject('TestSignInSourceOption', {
  login: Type.Optional(Type.String({ maxLength: 254 })),
})

export const SignInSourceTest = object('SignInSourceTest', {
  ok: Type.Boolean(),
  steps: Type.Array(object('SignInSourceTestStep', { ok: Type.Boolean(), what: Type.String(), found: Type.String() })),
})
