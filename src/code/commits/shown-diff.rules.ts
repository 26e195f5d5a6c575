/** Changed lines that are shown at once, and the most of one file; other files are shown on demand. */
export const maxLines = 1500
