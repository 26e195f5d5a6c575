/** The files to find in a tar archive. Names begin without `./`. */
export interface WantedFiles {
  readonly name: RegExp
  /** Largest size of one file. */
  readonly maxBytes: number
  /** The search ends after this number of files. */
  readonly count: number
}

/** Finds files in the beginning of a packed tar archive. */
export interface FindJob {
  readonly kind: 'find'
  readonly format: 'bzip2' | 'xz'
  readonly packed: Uint8Array
  readonly wanted: WantedFiles
  /** The search ends after this number of unpacked bytes. */
  readonly maxUnpackedBytes: number
}

export interface PackJob {
  readonly kind: 'pack'
  readonly content: Uint8Array
}

export type ArchiveJob = FindJob | PackJob

export interface FoundFile {
  readonly name: string
  readonly content: Uint8Array
}

export interface ArchiveAnswer {
  /** The found files; none when the archive is broken. */
  readonly found?: readonly FoundFile[]
  /** True when a wanted file is larger than its limit. */
  readonly isTooLarge?: boolean
  readonly content?: Uint8Array
}
