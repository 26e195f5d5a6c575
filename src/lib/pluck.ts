/** Returns one member of each row, in their order. */
export const pluck = <Row extends object, Key extends keyof Row>(rows: readonly Row[], key: Key): Row[Key][] =>
  rows.map((row) => row[key])
