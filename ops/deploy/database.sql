-- The role of the servers and its database. The role owns the database and has no other right: it is no superuser.
-- Run by psql as a superuser, with the password in DATABASE_PASSWORD; compose.yaml does so at the first start.
\getenv password DATABASE_PASSWORD
CREATE ROLE discovery LOGIN PASSWORD :'password';
CREATE DATABASE discovery OWNER discovery;
REVOKE ALL ON DATABASE discovery FROM PUBLIC;
