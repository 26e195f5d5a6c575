/** How a content is named. All have digests of both algorithms, whichever they were sent by. */
export interface ContentName {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
}

/** A content that an image has. */
export interface KnownContent {
  readonly sha256: string
  readonly sizeBytes: number
}

/** Name of the file that a version's manifest is. */
export const manifestFile = 'manifest.json'
