/** A common program with a fixed client id. */
export interface BuiltInApplication {
  /** The name in `[oauth2].DEFAULT_APPLICATIONS`. */
  readonly key: string
  readonly name: string
  readonly clientId: string
  readonly redirectUris: readonly string[]
}

/** The ids and addresses come from the documentation of the programs. */
export const builtInApplications: readonly BuiltInApplication[] = [
  {
    key: 'git-credential-oauth',
    name: 'git-credential-oauth',
    clientId: 'a4792ccc-144e-407e-86c9-5e7d8d9c3269',
    redirectUris: ['http://127.0.0.1', 'https://127.0.0.1'],
  },
  {
    key: 'git-credential-manager',
    name: 'Git Credential Manager',
    clientId: 'e90ee53c-94e2-48ac-9358-a874fb9e0662',
    redirectUris: ['http://127.0.0.1', 'https://127.0.0.1'],
  },
  {
    key: 'tea',
    name: 'tea',
    clientId: 'd57cb8c4-630c-4168-8324-ec79935e18d4',
    redirectUris: ['http://127.0.0.1', 'https://127.0.0.1'],
  },
]
