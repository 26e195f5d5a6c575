/** Whose work something is: what it takes of what all need is counted for each of these. */
export interface Claim {
  /** Number of the account that asks; undefined for guests, who are told apart by their addresses. */
  readonly viewer: number | undefined
  readonly isAdmin: boolean
  /** Where it comes from: an address, of IPv6 the network that one customer of a provider has. */
  readonly address: string
  /** The repository that it is about, by any text that stands for that one alone. */
  readonly repository: string | undefined
}

/** The same claim, about a repository. */
export const aboutRepository = (claim: Claim, repository: string | number): Claim => ({
  ...claim,
  repository: String(repository),
})
