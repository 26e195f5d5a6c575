/** Statements that recompute the issue counters of each repository, after a test inserts rows directly. */
export const recountIssues: readonly string[] = [false, true].flatMap((isPull) => {
  const [all, closed] = isPull ? ['num_pulls', 'num_closed_pulls'] : ['num_issues', 'num_closed_issues']
  return [
    `update repo set ${all} = (select count(*) from issue where repo_id = repo.id and is_pull = ${isPull})`,
    `update repo set ${closed} = (select count(*) from issue where repo_id = repo.id and is_pull = ${isPull} and is_closed)`,
  ]
})
