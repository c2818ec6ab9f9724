//! Asks datafusion-distributed a query of Parquet files, which are the table `dispatches`, for `benches/cluster --distributed`.
//!
//!     distributed worker THREADS PORT
//!     distributed query THREADS PORTS SQL FILE...
//!
//! PORTS are those of workers on this machine, separated by commas; without one, the query runs in this process. It prints the
//! rows as CSV does.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use datafusion_distributed::{DistributedExt, SessionStateBuilderExt, Worker, WorkerResolver};
use url::Url;

type Fallible<T> = Result<T, Box<dyn Error>>;

struct Workers(Vec<Url>);

#[async_trait::async_trait]
impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>, DataFusionError> {
        Ok(self.0.clone())
    }
}

fn main() -> Fallible<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [verb, threads, rest @ ..] = words.as_slice() else { return Err("see the first lines of the source".into()) };
    let threads: usize = threads.parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    match (*verb, rest) {
        ("worker", [port]) => runtime.block_on(work(port.parse()?)),
        ("query", [ports, query, files @ ..]) => runtime.block_on(ask(threads, ports, query, files)),
        _ => Err("see the first lines of the source".into()),
    }
}

async fn work(port: u16) -> Fallible<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let served = Worker::default().into_worker_server();
    Ok(tonic::transport::Server::builder().add_service(served).serve(address).await?)
}

async fn ask(threads: usize, ports: &str, query: &str, files: &[&str]) -> Fallible<()> {
    let config = SessionConfig::new().with_target_partitions(threads);
    let builder = SessionStateBuilder::new().with_default_features().with_config(config);
    let state = if ports.is_empty() {
        builder.build()
    } else {
        let urls = ports.split(',').map(|port| Url::parse(&format!("http://127.0.0.1:{port}")));
        builder
            .with_distributed_worker_resolver(Workers(urls.collect::<Result<_, _>>()?))
            .with_distributed_planner()
            .build()
    };
    let session = SessionContext::from(state);
    let table = session.read_parquet(files.to_vec(), ParquetReadOptions::default()).await?;
    session.register_table("dispatches", table.into_view())?;
    let batches = session.sql(query).await?.collect().await?;
    let options = FormatOptions::default();
    for batch in &batches {
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let values: Vec<String> = columns.iter().map(|column| column.value(row).to_string()).collect();
            println!("{}", values.join(","));
        }
    }
    Ok(())
}
