// Runs the audits of GraphQL over HTTP against the server at AUDIT_URL, with the
// access token in AUDIT_TOKEN, and prints the outcome of each as a line of JSON.
import { serverAudits } from "graphql-http";

const { AUDIT_URL: url, AUDIT_TOKEN: token } = process.env;

const fetchFn = (address, init = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });

for (const audit of serverAudits({ url, fetchFn })) {
  const { status, reason } = await audit.fn();
  console.log(JSON.stringify({ id: audit.id, name: audit.name, status, reason }));
}
