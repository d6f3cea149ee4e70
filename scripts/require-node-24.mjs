// Preloaded by every npm script. Plain JavaScript, so that an old Node can still read it and say what is wrong.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(
    `O Pórtico precisa do Node 24 ou mais novo e encontrou ${process.version}. No Linux e no Windows, "npm ci" já o traz; em outros sistemas, instale-o e use os comandos npm.`,
  )
  process.exit(1)
}
