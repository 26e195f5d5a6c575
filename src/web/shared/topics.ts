/** Splits a comma-separated field into topics. */
export const topicsIn = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((topic) => topic.trim())
    .filter((topic) => topic !== '')
