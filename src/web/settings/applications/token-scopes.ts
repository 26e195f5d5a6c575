/** Scopes of access tokens, in the order of the form. */
export const tokenScopes = [
  'repository',
  'issue',
  'package',
  'organization',
  'user',
  'notification',
  'misc',
  'activitypub',
  'admin',
] as const
