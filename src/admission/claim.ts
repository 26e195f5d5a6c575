/** Who causes some work: each of these is charged for it. */
export interface Claim {
  /** The account; undefined for guests, who are distinguished by address. */
  readonly viewer: number | undefined
  readonly isAdmin: boolean
  /** The client address, or the network of one customer for IPv6. */
  readonly address: string
  /** A text that identifies the repository. */
  readonly repository: string | undefined
}

/** Returns the claim with a repository. */
export const aboutRepository = (claim: Claim, repository: string | number): Claim => ({
  ...claim,
  repository: String(repository),
})
