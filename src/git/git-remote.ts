/** `credentials` are sent as a header, never in the URL or in arguments. */
export type RemoteFetch = {
  readonly url: string
  readonly refspecs: readonly string[]
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Addresses that the caller has checked, as `host:port:address[,address…]`. git connects to no others. */
  readonly resolve?: readonly string[]
  readonly prune?: boolean
  /**
   * Where the references go, when git need not sync each of them: `aside` is `refs/fetched/`, from which the caller
   * moves them; `new` is a repository that nothing refers to until the call returns.
   */
  readonly into?: 'aside' | 'new'
  /** Accepts any certificate of the other server. */
  readonly skipTlsVerify?: boolean
  /** Required for `ssh://` addresses. */
  readonly ssh?: RemoteSsh
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export type RemotePush = RemoteFetch

/** Connects to another server over SSH with one key, at an address that the caller has checked. */
export type RemoteSsh = {
  /** The address to connect to, whatever the host of the URL resolves to. */
  readonly address: string
  /** The host of the URL, which selects the host key. */
  readonly host: string
  readonly privateKeyFile: string
  /** A host that is missing in the file is accepted and added; a host with another key is refused. */
  readonly knownHostsFile: string
}
