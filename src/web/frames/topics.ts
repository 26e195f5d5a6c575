/** Returns the topics of a field, in which commas separate them. */
export const topicsIn = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((topic) => topic.trim())
    .filter((topic) => topic !== '')
